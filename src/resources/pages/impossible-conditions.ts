import type { PageCondition } from './page-conditions';

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
/** A beginning of a URL that ends within its scheme, such as `app` or `com.shop.app:`. With a dot, it needs the colon. */
const START_OF_SCHEME = /^[a-z](?:[a-z\d+-]*|[a-z\d+.-]*:\/?)$/;
/** What the URL parser takes for a scheme and a path. */
const HOST_AND_PORT = /^[^:/?#]+:\d+(?:[/?#]|$)/;

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
const isImpossible = ({ match, value }: PageCondition): boolean =>
  (match === 'exact' || match === 'starts_with') &&
  !beginsWithScheme(value) &&
  !(match === 'starts_with' && START_OF_SCHEME.test(value));

const beginsWithScheme = (value: string): boolean =>
  SCHEME.test(value) || (URL.canParse(value) && !HOST_AND_PORT.test(value));
