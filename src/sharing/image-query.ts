import { RawQuery, singleValue } from '../common/lists/list-query';
import { Failures } from '../common/validation/failures';
import { ImageSize, IMAGE_SIZES } from '../presentation/components/standalone-plot';
import type { ResultFilter } from '../results/experiment-results';
import { readResultFilter } from '../results/result-filter';

/** The plotted value: the goal's metric, or its uplift. */
export const IMAGE_KINDS = ['rate', 'uplift'] as const;
export type ImageKind = (typeof IMAGE_KINDS)[number];

export interface ImageQuery {
  kind: ImageKind;
  size: ImageSize;
  filter: ResultFilter;
}

/**
 * Reads `kind`, `size` and the parameters of the filter.
 * @throws ValidationError that names each invalid parameter
 */
export function parseImageQuery(query: RawQuery): ImageQuery {
  const failures = new Failures();
  const kind = readOneOf(query, 'kind', IMAGE_KINDS, failures);
  const size = readOneOf(query, 'size', IMAGE_SIZES, failures);
  const filter = readResultFilter(query, failures);
  failures.throwIfAny();
  return { kind, size, filter };
}

/** The first value is the default. */
function readOneOf<T extends string>(
  query: RawQuery,
  name: string,
  values: readonly [T, ...T[]],
  failures: Failures,
): T {
  const asked = singleValue(query, name, failures) ?? values[0];
  const found = values.find((value) => value === asked);
  if (found === undefined) {
    failures.add(name, `The ${name} must be one of: ${values.join(', ')}.`);
  }
  return found ?? values[0];
}
