import { Injectable } from '@nestjs/common';
import type { PathItem } from '../../platform/access/scope';
import type { EntityManager } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { allOf, type Condition, foldedContains } from '../../database/dialect';
import { Database } from '../../database/database';
import { placeholders } from '../../database/row-store';
import { RESOURCES } from '../../resources/registry';
import type { HistoryFilter } from './history-query';

/** The path parameter for an entry. Entries have no version, because they never change. */
export const entryPath: PathItem = {
  param: 'entry',
  table: 'audit_entries',
  parentColumn: 'project_id',
  hasVersion: false,
};

/** An audit entry with the current names of its user and token. */
export interface HistoryRow {
  id: number;
  at: Micros;
  source: string;
  user_id: number | null;
  user_name: string | null;
  token_id: number | null;
  token_name: string | null;
  action: string;
  item_type: string;
  item_id: number;
  item_name: string | null;
  before: string | null;
  after: string | null;
  request_id: string | null;
}

type StoredRow = Omit<HistoryRow, 'at'> & { at: number | string };

/** The position of a page in the list of entries. */
export interface HistoryRange {
  order: 'newest first' | 'oldest first';
  limit: number;
  offset?: number;
}

/** The size of an entry's changed fields as JSON. */
export interface EntrySize {
  id: number;
  bytes: number;
}

const TABLES: Readonly<Record<string, string>> = {
  project: 'projects',
  project_settings: 'projects',
  experiment: 'experiments',
  variation: 'variations',
  webhook: 'webhooks',
  ...Object.fromEntries(RESOURCES.map(({ type, collection }) => [type, collection])),
};

const SELECT = `SELECT a.id, a.at, a.source, a.user_id, u.name AS user_name, a.token_id, t.name AS token_name, a.action,
                       a.item_type, a.item_id, a.item_name, a.\`before\`, a.\`after\`, a.request_id
                  FROM audit_entries a
                  LEFT JOIN users u ON u.id = a.user_id
                  LEFT JOIN api_tokens t ON t.id = a.token_id`;

/** Reads the audit entries of a project. */
@Injectable()
export class HistoryStore {
  constructor(private readonly database: Database) {}

  async list(
    projectId: number,
    filter: HistoryFilter,
    range: HistoryRange,
    manager: EntityManager = this.database.read,
  ): Promise<HistoryRow[]> {
    const { sql, parameters } = matching(projectId, filter);
    const rows: StoredRow[] = await manager.query(`${SELECT} WHERE ${sql} ${positioned(range)}`, parameters);
    const named = await this.withNames(rows);
    return named.map((row) => ({ ...row, at: Number(row.at) }));
  }

  /** The sizes of the entries that `list` would return, in the same order. */
  async sizes(projectId: number, filter: HistoryFilter, range: HistoryRange): Promise<EntrySize[]> {
    const { sql, parameters } = matching(projectId, filter);
    const rows: { id: number; bytes: number | string }[] = await this.database.read.query(
      `SELECT a.id, COALESCE(OCTET_LENGTH(a.\`before\`), 0) + COALESCE(OCTET_LENGTH(a.\`after\`), 0) AS bytes
         FROM audit_entries a WHERE ${sql} ${positioned(range)}`,
      parameters,
    );
    return rows.map(({ id, bytes }) => ({ id, bytes: Number(bytes) }));
  }

  /** The users with entries in a project, by name. */
  authors(projectId: number): Promise<{ id: number; name: string }[]> {
    return this.database.read.query(
      `SELECT u.id, u.name FROM users u
        WHERE u.id IN (SELECT user_id FROM audit_entries WHERE project_id = ?) ORDER BY u.name, u.id`,
      [projectId],
    );
  }

  async count(projectId: number, filter: HistoryFilter): Promise<number> {
    const { sql, parameters } = matching(projectId, filter);
    const [{ total }]: { total: number | string }[] = await this.database.read.query(
      `SELECT COUNT(*) AS total FROM audit_entries a WHERE ${sql}`,
      parameters,
    );
    return Number(total);
  }

  /**
   * Fills in missing names. Entries from earlier releases and entries for actions without fields have no name, so they
   * get the current name of their record.
   */
  private async withNames(rows: readonly StoredRow[]): Promise<StoredRow[]> {
    const names = new Map<string, string>();
    for (const [type, table] of Object.entries(TABLES)) {
      const nameless = rows.filter((row) => row.item_name === null && row.item_type === type);
      const ids = [...new Set(nameless.map((row) => row.item_id))];
      const found: { id: number; name: string }[] =
        ids.length === 0
          ? []
          : await this.database.read.query(
              `SELECT id, name FROM ${table} WHERE id IN (${placeholders(ids.length)})`,
              ids,
            );
      found.forEach(({ id, name }) => names.set(`${type} ${id}`, name));
    }
    return rows.map((row) => ({
      ...row,
      item_name: row.item_name ?? names.get(`${row.item_type} ${row.item_id}`) ?? null,
    }));
  }
}

const positioned = ({ order, limit, offset = 0 }: HistoryRange): string =>
  `ORDER BY a.id ${order === 'newest first' ? 'DESC' : 'ASC'} LIMIT ${limit} OFFSET ${offset}`;

function matching(projectId: number, filter: HistoryFilter): Condition {
  const { itemTypes, itemId, userId, actions, since, until, afterId, search, ids } = filter;
  return allOf([
    { sql: 'a.project_id = ?', parameters: [projectId] },
    ...oneOf('a.item_type', itemTypes),
    ...compared('a.item_id =', itemId),
    ...compared('a.user_id =', userId),
    ...oneOf('a.action', actions),
    ...compared('a.at >=', since),
    ...compared('a.at <', until),
    ...compared('a.id >', afterId),
    ...oneOf('a.id', ids),
    ...(search === null ? [] : [foldedContains('a.item_search', search)]),
  ]);
}

const compared = (comparison: string, value: number | null): Condition[] =>
  value === null ? [] : [{ sql: `${comparison} ?`, parameters: [value] }];

function oneOf(column: string, values: readonly (string | number)[] | null): Condition[] {
  if (values === null) {
    return [];
  }
  return values.length === 0
    ? [{ sql: '1 = 0', parameters: [] }]
    : [{ sql: `${column} IN (${placeholders(values.length)})`, parameters: [...values] }];
}
