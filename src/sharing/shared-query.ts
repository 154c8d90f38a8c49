import { formatDay } from '../common/time/days';
import type { ResultFilter } from '../results/experiment-results';

/** The filter as a query string, after other parameters; empty without any. */
export function sharedQuery(
  { start, end, devices, cohorts }: ResultFilter,
  asked: Record<string, string> = {},
): string {
  const query = new URLSearchParams({
    ...asked,
    ...(start === null ? {} : { startDate: formatDay(start) }),
    ...(end === null ? {} : { endDate: formatDay(end) }),
    ...(devices === null ? {} : { deviceTypes: devices.join(',') }),
    ...(cohorts === null ? {} : { cohorts }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}
