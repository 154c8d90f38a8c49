import { firstNumber, firstValue, RawQuery } from '../common/lists/list-query';
import { ExperimentStatus, STATUSES } from '../experiments/experiment-status';

/** The filter of a project's experiment list. */
export interface ListRequest {
  /** Null for all statuses. */
  status: ExperimentStatus | null;
  /** Part of the name; empty for all. */
  search: string;
  /** The page number, from 1. */
  page: number;
}

const MAX_SEARCH = 255;

/** Reads the query of the page. Users can edit URLs, so invalid values are ignored. */
export function readListRequest(query: RawQuery): ListRequest {
  return {
    status: STATUSES.find((status) => status === firstValue(query, 'status')) ?? null,
    search: firstValue(query, 'search').replaceAll('\0', '').trim().slice(0, MAX_SEARCH),
    page: firstNumber(query, 'page') ?? 1,
  };
}

/** The query string of the filter; empty for the first page of all experiments. */
export function listQuery({ status, search, page }: ListRequest): string {
  const query = new URLSearchParams({
    ...(status !== null && { status }),
    ...(search !== '' && { search }),
    ...(page > 1 && { page: String(page) }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}
