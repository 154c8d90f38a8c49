import type { EntityManager } from 'typeorm';
import { ListQuery, listTail } from '../common/lists/list-query';
import { allOf, type Condition } from './condition';
import type { RowStore } from './row-store';
import type { NamedRow } from './rows';

type Listable = Pick<NamedRow, 'id' | 'name_search'>;

/** The rows of a list's page, and the total number of rows. */
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
