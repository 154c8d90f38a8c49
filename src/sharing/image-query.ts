import { RawQuery, singleValue } from '../common/lists/list-query';
import { Failures } from '../common/validation/failures';
import type { ResultFilter } from '../results/experiment-results';
import { readResultFilter } from '../results/result-filter';

/** What of a goal is drawn: the figure that it is judged by, or the change of that against the original. */
export const IMAGE_KINDS = ['rate', 'uplift'] as const;
export type ImageKind = (typeof IMAGE_KINDS)[number];

/**
 * Reads `kind` and the parameters of the filter.
 * @throws ValidationError naming each parameter that is wrong
 */
export function parseImageQuery(query: RawQuery): { kind: ImageKind; filter: ResultFilter } {
  const failures = new Failures();
  const asked = singleValue(query, 'kind', failures) ?? 'rate';
  const kind = IMAGE_KINDS.find((one) => one === asked);
  if (kind === undefined) {
    failures.add('kind', `The kind must be one of: ${IMAGE_KINDS.join(', ')}.`);
  }
  const filter = readResultFilter(query, failures);
  failures.throwIfAny();
  return { kind: kind ?? 'rate', filter };
}
