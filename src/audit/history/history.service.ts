import { setImmediate as othersTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { NotFoundError } from '../../common/errors/api-errors';
import { Listed } from '../../common/http/answers';
import type { PageRequest } from '../../common/lists/list-query';
import { formatMicros } from '../../common/time/clock';
import { shortened } from '../audit-log';
import type { ActorType, AuditEntryRecord } from './audit-entry.record';
import { EVERYTHING, type HistoryFilter } from './history-query';
import { type EntrySize, type HistoryRange, type HistoryRow, HistoryStore } from './history.store';

type Fields = AuditEntryRecord['after'];

/** Maximum length of a field as JSON, in characters. */
const MAX_FIELD = 10_000;

/**
 * The entry with long strings truncated, as when an entry is stored. A field that is still long is shown as the
 * beginning of its JSON.
 */
export const withShortFields = (entry: AuditEntryRecord): AuditEntryRecord => ({
  ...entry,
  before: shortFields(entry.before),
  after: shortFields(entry.after),
});

function shortFields(fields: Fields): Fields {
  const short = Object.entries(fields ?? {}).map(([name, value]) => [name, shortField(value)] as const);
  // Copies the result, because truncated strings refer to the whole strings and keep them in memory.
  return fields && (JSON.parse(JSON.stringify(Object.fromEntries(short))) as Fields);
}

function shortField(value: unknown): unknown {
  const short = JSON.stringify(value, (_, part: unknown) => shortened(part));
  return short.length <= MAX_FIELD ? (JSON.parse(short) as unknown) : shortened(JSON.stringify(value));
}

/** Maximum size of a batch and of a page, in bytes of JSON. A larger entry is read alone. */
const MAX_BYTES = 4_000_000;

/** The entry ids in batches of limited size, in the same order. Each batch contains at least one entry. */
export function batchesOf(sizes: readonly EntrySize[]): number[][] {
  const batches: number[][] = [];
  let rest = 0;
  for (const { id, bytes } of sizes) {
    rest -= bytes;
    const batch = batches.at(-1);
    if (batch === undefined || rest < 0) {
      batches.push([id]);
      rest = MAX_BYTES - bytes;
    } else {
      batch.push(id);
    }
  }
  return batches;
}

/** The maximum size of an entry that a page of these entries shows in full; a single entry is always shown in full. */
function maxShownBytes(sizes: readonly EntrySize[]): number {
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  return sizes.length <= 1 || total <= MAX_BYTES ? Infinity : MAX_BYTES / sizes.length;
}

/** Number of entries whose sizes the stream reads at a time. */
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

  /** One page of entries, newest first. On a page that would be too long, the fields of long entries are truncated. */
  async list(projectId: number, filter: HistoryFilter, page: PageRequest): Promise<Listed<AuditEntryRecord>> {
    const order = 'newest first';
    const range = { order, limit: page.perPage, offset: (page.number - 1) * page.perPage } as const;
    const [sizes, total] = await Promise.all([
      this.store.sizes(projectId, filter, range),
      this.store.count(projectId, filter),
    ]);
    const maxBytes = maxShownBytes(sizes);
    const long = new Set(sizes.filter(({ bytes }) => bytes > maxBytes).map(({ id }) => id));
    const records: AuditEntryRecord[] = [];
    for await (const rows of this.batches(projectId, sizes, order)) {
      records.push(...rows.map((row) => (long.has(row.id) ? withShortFields(toRecord(row)) : toRecord(row))));
    }
    return new Listed(records, total, page);
  }

  /** The entry with this id. @throws NotFoundError if the project has no such entry */
  async entry(projectId: number, id: number): Promise<AuditEntryRecord> {
    const filter = { ...EVERYTHING, ids: [id] };
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
      const order = 'oldest first';
      const sizes = await this.store.sizes(projectId, { ...filter, afterId }, { order, limit: BATCH });
      for await (const rows of this.batches(projectId, sizes, order)) {
        yield rows.map((row) => `${JSON.stringify(toRecord(row))}\n`).join('');
      }
      if (sizes.length < BATCH) {
        return;
      }
      afterId = sizes.at(-1)?.id ?? afterId;
    }
  }

  /** Reads entries in batches of limited size. Other requests get their turn between batches. */
  private async *batches(
    projectId: number,
    sizes: readonly EntrySize[],
    order: HistoryRange['order'],
  ): AsyncGenerator<HistoryRow[]> {
    for (const ids of batchesOf(sizes)) {
      yield await this.store.list(projectId, { ...EVERYTHING, ids }, { order, limit: ids.length });
      await othersTurn();
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
