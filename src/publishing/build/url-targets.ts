import type { UrlTarget } from '@growthbook/growthbook';
import type { PageCondition, PageMatch } from '../../pages/page-conditions';
import { pagePatterns } from '../../pages/page-matching';

/** What numbers or names groups, which change when patterns are put into one. */
const GROUP_REFERENCE = /\\[1-9k]|\(\?<[a-z_$]/i;

/**
 * The pages of an experiment as targets of the SDK; empty when every address matches, null when they cannot be said
 * in its terms. It has one list of wanted and unwanted patterns for all pages, and compares them with the path, too.
 */
export function urlTargets(pages: readonly (readonly PageCondition[])[]): UrlTarget[] | null {
  if (pages.some((conditions) => conditions.length === 0)) {
    return [];
  }
  const wanting = pages.filter((conditions) => conditions.some(({ negate }) => !negate));
  if (wanting.length === 0) {
    return [target(NEVER, true)];
  }
  const hasUnwanted = wanting.some((conditions) => conditions.some(({ negate }) => negate));
  if (wanting.length === 1 || !hasUnwanted) {
    return wanting.flat().map((condition) => target(wholeAddress(condition), !condition.negate));
  }
  return wanting.flat().some(({ match, value }) => match === 'regex' && GROUP_REFERENCE.test(value))
    ? null
    : wanting.map((conditions) => target(ofPage(conditions), true));
}

/** A page that only says what it is not matches nothing. */
const NEVER = '^(?!)';

const target = (pattern: string, include: boolean): UrlTarget => ({ type: 'regex', pattern, include });

const somewhere = (source: string): string => `[\\s\\S]*?(?:${source})`;

/** How what would match the path alone may be compared. */
const ANCHORED: readonly PageMatch[] = ['exact', 'starts_with', 'regex'];

/** The pattern of a condition, which must not match the path alone where it would not match the address. */
function wholeAddress(condition: PageCondition): string {
  const { wanted, unwanted } = pagePatterns([condition]);
  const [source] = [...wanted, ...unwanted];
  return ANCHORED.includes(condition.match) ? `^(?!\\/)(?=${somewhere(source)})` : source;
}

/** One pattern for what a page wants and does not want. */
function ofPage(conditions: readonly PageCondition[]): string {
  const { wanted, unwanted } = pagePatterns(conditions);
  const none = unwanted.map((source) => `(?!${somewhere(source)})`).join('');
  const any = somewhere(wanted.map((source) => `(?:${source})`).join('|'));
  return `^(?!\\/)${none}(?=${any})`;
}
