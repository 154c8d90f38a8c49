import { RawQuery, singleValue } from '../common/lists/list-query';
import { Failures } from '../common/validation/failures';
import type { ResultFilter } from './experiment-results';
import { readResultFilter } from './result-filter';

/** The key of the rows of a series: a date, a day since entry, or a week of entry. */
export const SERIES_KEYS = ['date', 'age', 'week'] as const;
export type SeriesKey = (typeof SERIES_KEYS)[number];

/**
 * Reads `by` and the filter.
 * @throws ValidationError that names each invalid parameter
 */
export function parseSeriesQuery(query: RawQuery): { by: SeriesKey; filter: ResultFilter } {
  const failures = new Failures();
  const filter = readResultFilter(query, failures);
  const text = singleValue(query, 'by', failures) ?? 'date';
  const by = SERIES_KEYS.find((key) => key === text);
  if (by === undefined) {
    failures.add('by', `The by must be one of: ${SERIES_KEYS.join(', ')}.`);
  }
  failures.throwIfAny();
  return { by: by ?? 'date', filter };
}
