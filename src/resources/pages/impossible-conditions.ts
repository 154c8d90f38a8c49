import type { PageCondition } from './page-conditions';
import { normalized } from './page-matching';

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//;
const COMMON_SCHEMES = ['https://', 'http://'];

/**
 * Why conditions without `negate` can never match a URL, and why the page as a whole cannot, in sentences; empty if there
 * is no such reason. Such conditions are accepted, because requests from integrations may contain them.
 */
export function impossibleConditions(conditions: readonly PageCondition[]): string[] {
  const wanted = conditions.filter(({ negate }) => !negate);
  return conditions.length > 0 && wanted.length === 0
    ? ['All conditions are negated, so no URL matches. Add a condition for the URLs that should match.']
    : wanted.filter(isImpossible).map(({ value }) => `“${value}” never matches. ${HINT}`);
}

const HINT =
  'With this comparison, the value must begin with the scheme, such as https://, because a whole URL does.';

/** Whether a URL, which begins with its scheme, can neither equal nor begin with the value. */
function isImpossible({ match, value }: PageCondition): boolean {
  const start = normalized(value);
  return (
    (match === 'exact' || match === 'starts_with') &&
    !SCHEME.test(start) &&
    !(match === 'starts_with' && isStartOfScheme(value))
  );
}

/** Whether the value is a beginning of a URL that ends within its scheme or host, such as `http` or `HTTPS://shop.`. */
const isStartOfScheme = (value: string): boolean =>
  SCHEME.test(value.toLowerCase()) || COMMON_SCHEMES.some((scheme) => scheme.startsWith(value));
