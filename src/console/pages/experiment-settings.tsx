import type { ComponentChildren } from 'preact';
import { roleAllows } from '../../platform/access/roles';
import type { Frame } from '../../account/pages/frame';
import { parseDay } from '../../common/time/clock';
import type { ExperimentRecord } from '../../experiments/experiment.record';
import { Moment, Name, None } from '../../presentation/components/text';
import { Column, Table } from '../../presentation/components/table';
import { formatLongDay } from '../../presentation/text/dates';
import { formatCount, formatExactChange, formatExactShare } from '../../presentation/text/numbers';
import { plainName, plural } from '../../presentation/text/words';
import { filledShares } from '../../experiments/variations/variation-shares';
import { attachmentsPagePath } from '../experiment-forms/attachments-form';
import { guardrailPermission, guardrailsPagePath } from '../experiment-forms/guardrails-form';
import { PlanWarning } from '../experiment-forms/plan-warning';
import { type ExperimentSubject, newVariationPath, variationPagePath } from '../experiment-subject';
import { changesPath, codePath } from './console-page';
import { FactsList, Setting } from './facts-list';

/** The settings of an experiment. */
export function ExperimentSettings({ frame, subject }: { frame: Frame; subject: ExperimentSubject }) {
  const { experiment } = subject;
  return (
    <section class="card stack" aria-labelledby="settings">
      <details class="printed-open" open={experiment.started_at === null}>
        <summary>
          <h2 id="settings">Settings</h2>
        </summary>
        <div class="stack">
          {experiment.variations.length > 0 && <Variations frame={frame} subject={subject} />}
          {canEdit(subject) && (
            <p class="page-links screen-only">
              <a href={`${frame.base}${newVariationPath(subject)}`}>Add a variation</a>
            </p>
          )}
          <SettingsList frame={frame} subject={subject} />
        </div>
      </details>
    </section>
  );
}

function SettingsList({ frame, subject }: { frame: Frame; subject: ExperimentSubject }) {
  const { experiment } = subject;
  return (
    <FactsList>
      <Participants frame={frame} subject={subject} />
      <Measurement frame={frame} subject={subject} />
      <Setting title="Tags">
        <Names items={experiment.tags.map((name) => ({ id: name, name }))} none="None" />
      </Setting>
      <Setting title="Example page">
        <ExternalLink address={experiment.example_url}>{experiment.example_url}</ExternalLink>
      </Setting>
      <OtherPages frame={frame} experiment={experiment} />
      <Setting title="Id and API name">
        {experiment.id}, <code>{experiment.api_name}</code>
      </Setting>
      <Dates experiment={experiment} />
    </FactsList>
  );
}

/** Which visitors take part, on which pages and in which environments. */
function Participants({ frame, subject }: { frame: Frame; subject: ExperimentSubject }) {
  const { experiment, exclusionGroup } = subject;
  const { traffic_allocation: traffic, audiences, pages, environments } = experiment;
  return (
    <>
      <Setting title="Traffic">{formatExactShare(traffic / 100)} of eligible visitors</Setting>
      {exclusionGroup !== null && (
        <Setting title="Exclusion group">
          <Name>{exclusionGroup.name}</Name>, {formatExactShare(experiment.exclusion_share / 100)} of its
          visitors
        </Setting>
      )}
      <Setting title={audienceTitle(experiment)}>
        <Names items={audiences} none="Everyone" />{' '}
        <AttachmentsLink frame={frame} subject={subject} field="audiences" />
      </Setting>
      <Setting title="Pages">
        <Names items={pages} none="None yet" />{' '}
        <AttachmentsLink frame={frame} subject={subject} field="pages" />
      </Setting>
      <Setting title="Environments">
        <Names items={environments} none="None, so no visitors take part" />
      </Setting>
    </>
  );
}

/** What is measured, and for how long. */
function Measurement({ frame, subject }: { frame: Frame; subject: ExperimentSubject }) {
  const { experiment, role } = subject;
  const { goals, guardrails, guardrail_action: action, status } = experiment;
  return (
    <>
      <Setting title="Goals (primary goal first)">
        <Names items={goals} none="None yet" />{' '}
        <AttachmentsLink frame={frame} subject={subject} field="goals" />
      </Setting>
      <Setting title="Guardrails">
        <Names items={guardrails} none="None" />{' '}
        {action === 'pause' &&
          guardrails.length > 0 &&
          'The experiment is paused when a guardrail is tripped. '}
        {roleAllows(role, guardrailPermission(subject)) && status !== 'archive' && (
          <a class="screen-only" href={`${frame.base}${guardrailsPagePath(subject)}`}>
            Change the guardrails
          </a>
        )}
      </Setting>
      <Setting title="Plan">
        {planWords(experiment)}
        <PlanWarning subject={subject} />
      </Setting>
    </>
  );
}

interface AttachmentsLinkProps {
  frame: Frame;
  subject: ExperimentSubject;
  field: 'pages' | 'audiences' | 'goals';
}

function AttachmentsLink({ frame, subject, field }: AttachmentsLinkProps) {
  return canEdit(subject) ? (
    <a class="screen-only" href={`${frame.base}${attachmentsPagePath(subject)}#${field}`}>
      Change the {field}
    </a>
  ) : null;
}

const canEdit = ({ role, experiment: { status } }: ExperimentSubject): boolean =>
  roleAllows(role, 'definitions:write') && status !== 'archive';

/** Links to the pages with the experiment's code and its changes. */
function OtherPages({ frame, experiment }: { frame: Frame; experiment: ExperimentRecord }) {
  const { id, project_id: project, js, reset_js, css } = experiment;
  return (
    <>
      <Setting title="Experiment code">
        <CodeLink
          address={`${frame.base}${codePath(project, id)}#experiment`}
          parts={[
            ['JavaScript', js],
            ['reset JavaScript', reset_js],
            ['CSS', css],
          ]}
        />
      </Setting>
      <Setting title="History">
        <a href={`${frame.base}${changesPath(project, id)}`}>Changes to this experiment</a>
      </Setting>
    </>
  );
}

const audienceTitle = ({ audiences, audiences_match_type: match }: ExperimentRecord): string =>
  audiences.length > 1 ? `Visitors in ${match} of these audiences` : 'Audience';

/** `20 000 participants, until 30 June 2026, to detect an effect of +5 %` */
function planWords(experiment: ExperimentRecord): string {
  const { planned_participants: participants, planned_end: end, minimum_effect: effect } = experiment;
  const parts = [
    ...(participants === null ? [] : [plural(participants, 'participant')]),
    ...(end === null ? [] : [`until ${formatLongDay(parseDay(end) ?? 0)}`]),
    ...(effect === null ? [] : [`to detect an effect of ${formatExactChange(effect / 100)}`]),
  ];
  return parts.length === 0 ? 'None' : parts.join(', ');
}

function Names({ items, none }: { items: readonly { id: number | string; name: string }[]; none: string }) {
  return items.length === 0 ? (
    <>{none}</>
  ) : (
    <ul>
      {items.map(({ id, name }) => (
        <li key={id}>
          <Name>{name}</Name>
        </li>
      ))}
    </ul>
  );
}

function ExternalLink({ address, children }: { address: string | null; children: ComponentChildren }) {
  return address === null ? (
    <None />
  ) : (
    <a href={address} rel="noreferrer">
      {children}
    </a>
  );
}

interface CodeLinkProps {
  address: string;
  parts: readonly (readonly [name: string, code: string | null])[];
}

/** `JavaScript 120 bytes, CSS 48 bytes` */
function CodeLink({ address, parts }: CodeLinkProps) {
  const sizes = parts.flatMap(([name, code]) =>
    code === null || code === '' ? [] : [`${name} ${formatCount(Buffer.byteLength(code))} bytes`],
  );
  return sizes.length === 0 ? <>None</> : <a href={address}>{sizes.join(', ')}</a>;
}

function Dates({ experiment }: { experiment: ExperimentRecord }) {
  const dates = [
    ['Created', experiment.created_at],
    ['Changed', experiment.updated_at],
    ['First started', experiment.started_at],
    ['Paused', experiment.paused_at],
    ['Ended', experiment.archived_at],
  ] as const;
  return (
    <>
      {dates.map(
        ([title, at]) =>
          at !== null && (
            <Setting key={title} title={title}>
              <Moment at={at} />
            </Setting>
          ),
      )}
    </>
  );
}

const COLUMNS: readonly Column[] = [
  { key: 'name', title: 'Variation' },
  { key: 'share', title: 'Share', isNumeric: true },
  { key: 'code', title: 'Code' },
  { key: 'preview', title: 'Preview', isScreenOnly: true },
];

function Variations({ frame, subject }: { frame: Frame; subject: ExperimentSubject }) {
  const { project, experiment } = subject;
  const { variations } = experiment;
  const shares = filledShares(variations.map((variation) => variation.traffic_allocation));
  const rows = variations.map((variation, index) => ({
    key: variation.id,
    cells: [
      <>
        <Name>{variation.name}</Name>
        <span class="range">
          {variation.is_original ? 'The original, id' : 'Id'} {variation.id}
        </span>
      </>,
      <>
        {formatExactShare(shares[index])}{' '}
        {canEdit(subject) && (
          <a class="range screen-only" href={`${frame.base}${variationPagePath(subject, variation.id)}`}>
            Edit<span class="visually-hidden"> {plainName(variation.name)}</span>
          </a>
        )}
      </>,
      <CodeLink
        address={`${frame.base}${codePath(project.id, experiment.id)}#variation-${variation.id}`}
        parts={[
          ['JavaScript', variation.js],
          ['CSS', variation.css],
        ]}
      />,
      <ExternalLink address={variation.preview_url}>
        Open<span class="visually-hidden"> the preview of {plainName(variation.name)}</span>
      </ExternalLink>,
    ],
  }));
  return <Table caption="Variations" columns={COLUMNS} rows={rows} form="cards" />;
}
