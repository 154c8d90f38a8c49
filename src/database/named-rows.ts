import type { EntityManager } from 'typeorm';
import { ListQuery, listTail } from '../common/lists/list-query';
import { IdColumn, IntegerColumn, MicrosColumn, TextColumn } from './columns';
import type { Micros } from '../common/time/clock';
import { allOf, type Condition } from './dialect';
import type { RowStore } from './row-store';

/** A row that can be listed and found by its name. */
export abstract class NamedRow {
  @IdColumn()
  id: number;

  @TextColumn(255)
  name: string;

  /** See `nameColumns`. */
  @TextColumn(64)
  name_key: string;

  /** Three times as long as the name, because normalisation can turn one character into three. */
  @TextColumn(765)
  name_search: string;

  /** Version of the record, incremented with each visible change; the ETag is derived from it. */
  @IntegerColumn()
  version: number;

  @MicrosColumn()
  created_at: Micros;

  @MicrosColumn()
  updated_at: Micros;
}

type Listable = Pick<NamedRow, 'id' | 'name_search'>;

/** The rows on one page of a list, and the total number of rows. */
export async function listRows<E extends Listable, K extends keyof E & string>(
  manager: EntityManager,
  store: RowStore<E>,
  columns: readonly K[],
  scope: Condition,
  query: ListQuery,
): Promise<{ rows: Pick<E, K>[]; total: number }> {
  const search = { sql: 'INSTR(name_search, ?) > 0', parameters: [query.search ?? ''] };
  const { sql, parameters } = query.search === null ? scope : allOf([scope, search]);
  const rows = await store.select(manager, columns, sql, parameters, listTail(query));
  const total = query.page === null ? rows.length : await store.count(manager, sql, parameters);
  return { rows, total };
}
