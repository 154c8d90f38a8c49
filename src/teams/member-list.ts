import type { ListQuery } from '../common/lists/list-query';
import { foldName } from '../common/text/names';
import type { MemberRow } from './member.store';

type Key = (member: MemberRow) => number | string;

const KEYS: Record<ListQuery['sort']['column'], Key> = {
  id: ({ user_id }) => user_id,
  name_search: ({ name }) => foldName(name),
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
};

/**
 * The members of a page of the list, and the number of members on all pages. Users have no column for searching, and a
 * team is small enough to be read whole. @param members in the order of their ids
 */
export function listMembers(
  members: readonly MemberRow[],
  { search, sort, page }: ListQuery,
): { rows: MemberRow[]; total: number } {
  const key = KEYS[sort.column];
  const direction = sort.descending ? -1 : 1;
  const order = (a: MemberRow, b: MemberRow): number =>
    key(a) === key(b) ? 0 : direction * (key(a) < key(b) ? -1 : 1);
  const matching = members.filter(({ name }) => search === null || foldName(name).includes(search));
  const sorted = matching.sort(order);
  const first = page === null ? 0 : (page.number - 1) * page.perPage;
  const rows = sorted.slice(first, page === null ? undefined : first + page.perPage);
  return { rows, total: sorted.length };
}
