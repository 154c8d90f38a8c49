import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../common/errors/api-errors';
import { Listed } from '../../common/http/answers';
import { PageRequest, parseListQuery, RawQuery } from '../../common/lists/list-query';
import { formatMicros } from '../../common/time/clock';
import { Failures } from '../../common/validation/failures';
import { Database } from '../../database/database';
import type { AuditActor } from '../../audit/history/audit-entry.record';
import { ResultsService } from '../../results/results.service';
import type { LiveDefinitions } from '../definitions';
import { BuiltPublication, PublicationRow, PublicationStore } from '../publication.store';
import { Publisher } from '../publisher';
import { DefinitionChange, definitionChanges, NameOf } from './definition-changes';
import { AuthoredPublication, PublicationHistoryStore } from './publication-history.store';
import type { PublicationPreview, PublicationRecord, TouchedExperiment } from './publication.record';

export const DEFAULT_PUBLICATIONS = 20;
/** Page size is limited, because each publication in a page requires reading the definitions of two revisions. */
export const MAX_PUBLICATIONS = 100;

type Build = Pick<AuthoredPublication, 'snippet_version'> & { definitions: LiveDefinitions };

/** Parses the page parameters. The list is always paginated, because it only grows. @throws ValidationError */
export function parsePublicationPage({ page, per_page }: RawQuery): PageRequest {
  const request = parseListQuery({ page, per_page }).page;
  if (request !== null && per_page !== undefined && request.perPage > MAX_PUBLICATIONS) {
    const failures = new Failures();
    failures.add('per_page', `The per_page must be a whole number from 1 to ${MAX_PUBLICATIONS}.`);
    failures.throwIfAny();
  }
  const perPage = per_page === undefined ? DEFAULT_PUBLICATIONS : (request?.perPage ?? DEFAULT_PUBLICATIONS);
  return { number: request?.number ?? 1, perPage };
}

/** The changes that each publication made, and the changes that the next one would make. */
@Injectable()
export class PublicationHistory {
  constructor(
    private readonly database: Database,
    private readonly history: PublicationHistoryStore,
    private readonly publications: PublicationStore,
    private readonly publisher: Publisher,
    private readonly results: ResultsService,
  ) {}

  /**
   * One page of the publications, newest first. Only a few revisions are in memory at a time, because their definitions
   * may be large.
   */
  async list(projectId: number, page: PageRequest): Promise<Listed<PublicationRecord>> {
    const [rows, total, nameOf] = await Promise.all([
      this.history.list(projectId, page),
      this.history.count(projectId),
      this.history.names(projectId),
    ]);
    const records: PublicationRecord[] = [];
    let after: Build | null = null;
    for (const row of rows) {
      const build: Build = after ?? (await this.buildOf(projectId, row));
      const before = await this.previous(projectId, row.revision);
      const isLive = page.number === 1 && records.length === 0;
      records.push(toRecord(row, isLive, changesOf(before, build, nameOf)));
      after = before;
    }
    return new Listed(records, total, page);
  }

  /**
   * The changes that publishing would make now.
   * @param revision the revision to roll back to; null to publish the current definitions
   * @throws ValidationError if the publication cannot be built, NotFoundError if there is no such revision
   */
  async preview(projectId: number, revision: number | null = null): Promise<PublicationPreview> {
    const { read } = this.database;
    const latest = await this.publications.latest(read, projectId);
    const { plan, built } = await this.publisher.rehearsed(projectId, revision);
    plan?.failures.throwIfAny();
    if (plan === null || built === null) {
      throw new NotFoundError();
    }
    const nameOf = await this.history.names(projectId);
    const hasChanges = latest?.digest !== built.row.digest;
    const current = latest?.revision ?? 0;
    const changes = hasChanges ? await this.changesSince(latest, built, nameOf) : [];
    return {
      has_changes: hasChanges,
      revision: hasChanges ? await this.publications.nextRevision(read, projectId, current) : current,
      bytes_before: latest?.bytes ?? null,
      bytes_after: built.row.bytes,
      bytes_gzip_before: latest?.bytes_gzip ?? null,
      bytes_gzip_after: built.row.bytes_gzip,
      changes,
      experiments: await this.touched(changes, nameOf),
    };
  }

  /** The changes that publishing a build would make. */
  private async changesSince(
    latest: PublicationRow | null,
    { row, parts }: BuiltPublication,
    nameOf: NameOf,
  ): Promise<DefinitionChange[]> {
    const before = latest === null ? null : await this.buildOf(latest.project_id, latest);
    const definitions = JSON.parse(parts.definitions.toString()) as LiveDefinitions;
    return changesOf(before, { snippet_version: row.snippet_version, definitions }, nameOf);
  }

  private async touched(changes: readonly DefinitionChange[], nameOf: NameOf): Promise<TouchedExperiment[]> {
    const ids = new Set(changes.flatMap(({ experiment_id }) => experiment_id ?? []));
    const touched: TouchedExperiment[] = [];
    for (const id of ids) {
      const participants = await this.participants(id);
      if (participants !== null) {
        touched.push({ id, name: nameOf('experiments', id, String(id)), participants });
      }
    }
    return touched;
  }

  /** The number of participants in an experiment; null if the experiment is deleted. */
  private async participants(experimentId: number): Promise<number | null> {
    try {
      return (await this.results.info(experimentId)).participants;
    } catch (error) {
      if (error instanceof NotFoundError) {
        return null;
      }
      throw error;
    }
  }

  private async previous(projectId: number, revision: number): Promise<Build | null> {
    const row = await this.publications.before(this.database.read, projectId, revision);
    return row === null ? null : this.buildOf(projectId, row);
  }

  private async buildOf(
    projectId: number,
    { revision, snippet_version }: Pick<AuthoredPublication, 'revision' | 'snippet_version'>,
  ): Promise<Build> {
    const place = { project_id: projectId, revision };
    return { snippet_version, definitions: await this.publications.definitions(this.database.read, place) };
  }
}

/** The changes to the definitions, or to the snippet if the definitions are the same. */
function changesOf(before: Build | null, after: Build, nameOf: NameOf): DefinitionChange[] {
  const changes = definitionChanges(before?.definitions ?? null, after.definitions, nameOf);
  if (changes.length > 0) {
    return changes;
  }
  const [old, now] = [before?.snippet_version ?? null, after.snippet_version];
  const isNewer = old !== null && old !== now;
  return [
    {
      kind: 'snippet',
      action: old === null ? 'added' : 'changed',
      experiment_id: null,
      variation_id: null,
      field: isNewer ? 'snippet_version' : null,
      before: isNewer ? old : null,
      after: isNewer ? now : null,
      diff: null,
      text: snippetText(old, now),
    },
  ];
}

function snippetText(old: string | null, now: string): string {
  if (old === null) {
    return 'Snippet published, without experiments';
  }
  return old === now ? 'Snippet built again' : `Snippet: version ${old} → ${now}`;
}

const toRecord = (
  row: AuthoredPublication,
  is_live: boolean,
  changes: DefinitionChange[],
): PublicationRecord => ({
  revision: row.revision,
  is_live,
  created_at: formatMicros(row.created_at),
  actor: actorOf(row),
  reason: row.reason,
  source_revision: row.source_revision,
  snippet_version: row.snippet_version,
  sha384: row.sha384,
  bytes: row.bytes,
  bytes_gzip: row.bytes_gzip,
  changes,
});

function actorOf(row: AuthoredPublication): AuditActor {
  const { user_id, user_name, token_id, token_name } = row;
  const byUser = token_id === null ? 'user' : 'token';
  const type = row.automation ?? (user_id === null ? 'command' : byUser);
  return { type, user_id, user_name, token_id, token_name };
}
