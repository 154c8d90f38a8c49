import { Injectable } from '@nestjs/common';
import { ValidationError } from '../../common/errors/api-errors';
import { Name } from '../../presentation/components/text';
import { formatCount } from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import type { DefinitionChange } from '../../publishing/changes/definition-changes';
import { PublicationHistory } from '../../publishing/changes/publication-history.service';
import type { PublicationPreview } from '../../publishing/changes/publication.record';

/** The reasons why a form would be rejected now, shown instead of its changes. */
export function Problems({ title, problems }: { title: string; problems: readonly string[] }) {
  return (
    <section class="stack" aria-labelledby="changes">
      <h2 id="changes">{title}</h2>
      <ul class="changes">
        {problems.map((problem) => (
          <li key={problem}>
            <Name>{problem}</Name>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The changes that publishing now would make, or why the publication cannot be built. */
export type Expected = { preview: PublicationPreview } | { problems: string[] };

/** Reads the expected changes for forms that publish. */
@Injectable()
export class ExpectedChanges {
  constructor(private readonly history: PublicationHistory) {}

  /** @param revision the revision to roll back to; null to publish the current definitions */
  async read(projectId: number, revision: number | null = null): Promise<Expected> {
    try {
      return { preview: await this.history.preview(projectId, revision) };
    } catch (error) {
      if (error instanceof ValidationError) {
        const { errors } = error.extra as { errors: Record<string, string[]> };
        return { problems: Object.values(errors).flat() };
      }
      throw error;
    }
  }
}

/** A human-readable change, with a diff in unified format. */
export type ChangeText = Pick<DefinitionChange, 'text' | 'diff'>;

/** Number of visible changes; the remaining changes are collapsed. */
const SHOWN = 10;

/** The human-readable changes in a publication, with code diffs collapsed. */
export function Changes({ changes }: { changes: readonly ChangeText[] }) {
  const folded = changes.slice(SHOWN);
  return (
    <div class="changes">
      <ChangeList changes={changes.slice(0, SHOWN)} />
      {folded.length > 0 && (
        <details>
          <summary>{plural(folded.length, 'more change')}</summary>
          <ChangeList changes={folded} />
        </details>
      )}
    </div>
  );
}

function ChangeList({ changes }: { changes: readonly ChangeText[] }) {
  return (
    <ul>
      {changes.map(({ text, diff }, index) => (
        <li key={index}>
          <Name>{text}</Name>
          {diff !== null && <Difference text={text} diff={diff} />}
        </li>
      ))}
    </ul>
  );
}

function Difference({ text, diff }: { text: string; diff: string }) {
  return (
    <details>
      <summary class="small">
        Show the difference<span class="visually-hidden">: {text}</span>
      </summary>
      <pre class="code" dir="ltr">
        <code>
          {diff.split('\n').map((line, index) => (
            <span key={index} class={lineClass(line)}>{`${line}\n`}</span>
          ))}
        </code>
      </pre>
    </details>
  );
}

function lineClass(line: string): string | undefined {
  return line.startsWith('+') ? 'line-added' : line.startsWith('-') ? 'line-removed' : undefined;
}

/** The changes that a form would make, or its errors. */
export function WhatWillChange({ expected }: { expected: Expected }) {
  if ('problems' in expected) {
    return <Problems title="This cannot be published now" problems={expected.problems} />;
  }
  const { preview } = expected;
  return (
    <section class="stack" aria-labelledby="changes">
      <h2 id="changes">{preview.has_changes ? 'What will change' : 'Nothing would change'}</h2>
      {preview.has_changes ? (
        <>
          <Changes changes={preview.changes} />
          <Mixed preview={preview} />
        </>
      ) : (
        <p>Visitors already get exactly this version.</p>
      )}
    </section>
  );
}

/** A warning about experiments that would change while they run. */
function Mixed({ preview: { changes, experiments } }: { preview: PublicationPreview }) {
  const edited = new Set(
    changes
      .filter(({ kind, action }) => kind === 'variation' || action === 'changed')
      .map(({ experiment_id: id }) => id),
  );
  const mixed = experiments.filter(({ id, participants }) => edited.has(id) && participants > 0);
  return mixed.length === 0 ? null : (
    <div class="notice">
      <p>These experiments already have participants. Their results will mix visitors from both versions:</p>
      <ul class="changes">
        {mixed.map(({ id, name, participants }) => (
          <li key={id}>
            <Name>{name}</Name>: {formatCount(participants)}{' '}
            {participants === 1 ? 'participant' : 'participants'}
          </li>
        ))}
      </ul>
    </div>
  );
}
