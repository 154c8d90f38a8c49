import { Injectable } from '@nestjs/common';
import { groupBy } from '../../common/lists/collections';
import { Database } from '../../database/database';
import { placeholders } from '../../database/row-store';
import { ATTACHMENTS, type AttachedCollection } from '../../experiments/attachment.store';
import type { ExperimentStatus } from '../../experiments/experiment-status';

/** An experiment that uses a definition. */
export interface Use {
  id: number;
  name: string;
  status: ExperimentStatus;
}

/** A goal that counts the views of a page. */
export type PageGoal = Pick<Use, 'id' | 'name'>;

type UsedKind = AttachedCollection | 'exclusion_groups';

/** The table that maps experiment ids to the ids of the definitions that the experiments use. */
const usesOf = (kind: UsedKind): { table: string; column: string } =>
  kind === 'exclusion_groups'
    ? {
        table: '(SELECT id AS experiment_id, exclusion_group_id FROM experiments)',
        column: 'exclusion_group_id',
      }
    : { table: ATTACHMENTS[kind].join, column: ATTACHMENTS[kind].column };

@Injectable()
export class DefinitionUses {
  constructor(private readonly database: Database) {}

  /** The experiments that use the definitions, by definition id, newest first. */
  async of(kind: UsedKind, ids: readonly number[]): Promise<Map<number, Use[]>> {
    if (ids.length === 0) {
      return new Map();
    }
    const { table, column } = usesOf(kind);
    const rows: (Use & { item_id: number })[] = await this.database.read.query(
      `SELECT j.${column} AS item_id, e.id, e.name, e.status
         FROM ${table} j JOIN experiments e ON e.id = j.experiment_id
        WHERE j.${column} IN (${placeholders(ids.length)}) AND e.deleted_at IS NULL
        ORDER BY e.id DESC`,
      [...ids],
    );
    return groupBy(rows, (row) => row.item_id);
  }

  /** The goals that count views of these pages, by page id. */
  async goalsOfPages(ids: readonly number[]): Promise<Map<number, PageGoal[]>> {
    const rows: (PageGoal & { page_id: number })[] =
      ids.length === 0
        ? []
        : await this.database.read.query(
            `SELECT page_id, id, name FROM goals WHERE page_id IN (${placeholders(ids.length)}) ORDER BY name_search, id`,
            [...ids],
          );
    return groupBy(rows, ({ page_id }) => page_id);
  }

  /** The names of pages by id. */
  async pageNames(ids: readonly number[]): Promise<Map<number, string>> {
    const rows: { id: number; name: string }[] =
      ids.length === 0
        ? []
        : await this.database.read.query(
            `SELECT id, name FROM pages WHERE id IN (${placeholders(ids.length)})`,
            [...ids],
          );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
