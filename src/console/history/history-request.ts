import { PROJECT_ACTIONS } from '../../audit/audit-log';
import { DEFAULT_PER_PAGE, firstValue, type RawQuery } from '../../common/lists/list-query';
import { parseResponseTime } from '../../common/time/clock';
import { idOf } from '../../common/validation/values';
import { EVERYTHING, type HistoryFilter, ITEM_TYPES } from '../../audit/history/history-query';
import { readListRequest } from '../list-request';

/** The history filter as form fields; empty for all. */
export interface HistoryRequest {
  item_type: string;
  item_id: string;
  user_id: string;
  action: string;
  /** Days in UTC, such as `2026-05-01`. */
  since: string;
  until: string;
  search: string;
  /** The page number, from 1. */
  page: number;
}

export const ENTRIES_PER_PAGE = DEFAULT_PER_PAGE;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The last instant of a day. */
const endOf = (day: string): string => `${day}T23:59:59.999999Z`;

/** Reads the query of the page. Users can edit URLs, so invalid values are ignored. */
export function readHistoryRequest(query: RawQuery): HistoryRequest {
  const id = (name: string): string => String(idOf(firstValue(query, name)) ?? '');
  const known = (name: string, names: readonly string[]): string => {
    const value = firstValue(query, name);
    return names.includes(value) ? value : '';
  };
  const day = (name: string): string => {
    const value = firstValue(query, name);
    return DAY.test(value) && parseResponseTime(`${value}T00:00:00Z`) !== null ? value : '';
  };
  const { page, search } = readListRequest(query);
  return {
    item_type: known('item_type', ITEM_TYPES),
    item_id: id('item_id'),
    user_id: id('user_id'),
    action: known('action', PROJECT_ACTIONS),
    since: day('since'),
    until: day('until'),
    search,
    page,
  };
}

/** The entries that the page requests. Both days are included. */
export function filterOf(request: HistoryRequest): HistoryFilter {
  const { item_type, item_id, user_id, action, since, until, search } = request;
  return {
    ...EVERYTHING,
    itemTypes: item_type === '' ? null : [item_type],
    itemId: item_id === '' ? null : Number(item_id),
    userId: user_id === '' ? null : Number(user_id),
    actions: action === '' ? null : [action],
    since: parseResponseTime(`${since}T00:00:00Z`),
    until: until === '' ? null : parseResponseTime(endOf(until)),
    search: search === '' ? null : search,
  };
}

/** The query string of the filter; empty for the first page of all entries. */
export function historyQuery({ page, ...filter }: Partial<HistoryRequest>): string {
  const set = Object.entries(filter).filter(([, value]) => value !== '');
  const query = new URLSearchParams(set);
  if (page !== undefined && page > 1) {
    query.append('page', String(page));
  }
  return query.size === 0 ? '' : `?${query}`;
}

/**
 * The query string of the same request for the API. The API reads a day as its midnight, so `until` becomes the end of
 * the day.
 */
export const apiQuery = ({ until, ...request }: HistoryRequest): string =>
  historyQuery({ ...request, until: until === '' ? '' : endOf(until) });

/** Whether the request filters anything. */
export const isFiltered = (request: HistoryRequest): boolean => historyQuery({ ...request, page: 1 }) !== '';
