import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { NotFoundError } from '../../common/errors/api-errors';
import { Listed } from '../../common/http/answers';
import type { PageRequest } from '../../common/lists/list-query';
import { formatMicros } from '../../common/time/clock';
import type { ActorType, AuditEntryRecord } from './audit-entry.record';
import { EVERYTHING, type HistoryFilter } from './history-query';
import { type HistoryRow, HistoryStore } from './history.store';

/** Number of entries that the stream reads at a time. */
const BATCH = 500;

const ACTORS: Readonly<Record<string, ActorType>> = {
  page: 'user',
  api: 'token',
  admin: 'command',
  server: 'command',
  schedule: 'schedule',
  guardrail: 'guardrail',
};

/** The audit log of a project. */
@Injectable()
export class HistoryService {
  constructor(private readonly store: HistoryStore) {}

  /** One page of entries, newest first. */
  async list(projectId: number, filter: HistoryFilter, page: PageRequest): Promise<Listed<AuditEntryRecord>> {
    const range = { limit: page.perPage, offset: (page.number - 1) * page.perPage };
    const [rows, total] = await Promise.all([
      this.store.list(projectId, filter, { order: 'newest first', ...range }),
      this.store.count(projectId, filter),
    ]);
    return new Listed(rows.map(toRecord), total, page);
  }

  /** The entry with this id. @throws NotFoundError if the project has no such entry */
  async entry(projectId: number, id: number): Promise<AuditEntryRecord> {
    const filter = { ...EVERYTHING, id };
    const [row] = await this.store.list(projectId, filter, { order: 'newest first', limit: 1 });
    if (row === undefined) {
      throw new NotFoundError();
    }
    return toRecord(row);
  }

  /** The last change made to a record after an entry; null if there is none. */
  async latest(
    manager: EntityManager,
    projectId: number,
    { type, id, afterId }: { type: string; id: number; afterId: number },
  ): Promise<AuditEntryRecord | null> {
    const filter = { ...EVERYTHING, itemTypes: [type], itemId: id, afterId };
    const [row] = await this.store.list(projectId, filter, { order: 'newest first', limit: 1 }, manager);
    return row === undefined ? null : toRecord(row);
  }

  /** Id of the last entry in a project; 0 if there is none. */
  async lastId(manager: EntityManager, projectId: number): Promise<number> {
    const [row] = await this.store.list(projectId, EVERYTHING, { order: 'newest first', limit: 1 }, manager);
    return row?.id ?? 0;
  }

  /** The users with entries in a project, sorted by name. */
  authors(projectId: number): Promise<{ id: number; name: string }[]> {
    return this.store.authors(projectId);
  }

  /** All entries that match the filter, as JSON Lines, oldest first. */
  async *lines(projectId: number, filter: HistoryFilter): AsyncGenerator<string> {
    for (let afterId = filter.afterId; ;) {
      const rows = await this.store.list(
        projectId,
        { ...filter, afterId },
        { order: 'oldest first', limit: BATCH },
      );
      if (rows.length > 0) {
        yield rows.map((row) => `${JSON.stringify(toRecord(row))}\n`).join('');
      }
      if (rows.length < BATCH) {
        return;
      }
      afterId = rows.at(-1)?.id ?? afterId;
    }
  }
}

const toRecord = (row: HistoryRow): AuditEntryRecord => ({
  id: row.id,
  created_at: formatMicros(row.at),
  actor: {
    type: ACTORS[row.source] ?? 'command',
    user_id: row.user_id,
    user_name: row.user_name,
    token_id: row.token_id,
    token_name: row.token_name,
  },
  action: row.action,
  item_type: row.item_type,
  item_id: row.item_id,
  item_name: row.item_name,
  before: withoutSecrets(row.before),
  after: withoutSecrets(row.after),
  request_id: row.request_id,
});

/** Fields that the log does not show. Preview links, for example, open unpublished variations without a sign-in. */
const SECRET_FIELDS = new Set(['preview_url']);

function withoutSecrets(json: string | null): Record<string, unknown> | null {
  return json === null
    ? null
    : (JSON.parse(json, (key, value: unknown) => (SECRET_FIELDS.has(key) ? undefined : value)) as Record<
        string,
        unknown
      > | null);
}
