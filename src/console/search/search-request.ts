import { firstValue, type RawQuery } from '../../common/lists/list-query';
import { idOf } from '../../common/validation/values';
import { type ListRequest, listQuery, readListRequest } from '../list-request';

/** The filter of the search. */
export interface SearchRequest extends ListRequest {
  /** An exact tag; empty for all. */
  tag: string;
  /** The id of a team; null for all. */
  team: number | null;
  /** The id of the user who created the experiments; null for all. */
  creator: number | null;
}

const MAX_TAG = 50;

/** Reads the query of the page. Users can edit URLs, so invalid values are ignored. */
export function readSearchRequest(query: RawQuery): SearchRequest {
  return {
    ...readListRequest(query),
    tag: [...firstValue(query, 'tag').replaceAll('\0', '').trim()].slice(0, MAX_TAG).join(''),
    team: idOf(firstValue(query, 'team')),
    creator: idOf(firstValue(query, 'creator')),
  };
}

/** The query string of the search; empty for the first page of all experiments. */
export function searchQuery(request: SearchRequest): string {
  const { tag, team, creator } = request;
  const query = new URLSearchParams(listQuery(request));
  Object.entries({ tag, team, creator }).forEach(([name, value]) => {
    if (value !== null && value !== '') {
      query.append(name, String(value));
    }
  });
  return query.size === 0 ? '' : `?${query}`;
}

/** Whether the request filters anything. */
export const isFiltered = (request: SearchRequest): boolean => searchQuery({ ...request, page: 1 }) !== '';
