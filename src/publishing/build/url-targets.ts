import type { UrlTarget } from '@growthbook/growthbook';
import type { PageCondition, PageMatch } from '../../resources/pages/page-conditions';
import { pagePatterns } from '../../resources/pages/page-matching';

/** Numbered or named references to groups, which change when patterns are combined. */
const GROUP_REFERENCE = /\\[1-9k]|\(\?<[a-z_$]/i;

/**
 * The pages of an experiment as targets of the SDK; empty if every URL matches, null if the SDK cannot express them.
 * The SDK has one list of included and excluded patterns for all pages, and also compares them with the path alone.
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

/** A page with negated conditions only matches nothing. */
const NEVER = '^(?!)';

const target = (pattern: string, include: boolean): UrlTarget => ({ type: 'regex', pattern, include });

const somewhere = (source: string): string => `[\\s\\S]*?(?:${source})`;

/** The comparisons that could match the path alone. */
const ANCHORED: readonly PageMatch[] = ['exact', 'starts_with', 'regex'];

/** The pattern of a condition, anchored so that it does not match the path alone if it does not match the URL. */
function wholeAddress(condition: PageCondition): string {
  const { wanted, unwanted } = pagePatterns([condition]);
  const [source] = [...wanted, ...unwanted];
  return ANCHORED.includes(condition.match) ? `^(?!\\/)(?=${somewhere(source)})` : source;
}

/** One pattern for all conditions of a page. */
function ofPage(conditions: readonly PageCondition[]): string {
  const { wanted, unwanted } = pagePatterns(conditions);
  const none = unwanted.map((source) => `(?!${somewhere(source)})`).join('');
  const any = somewhere(wanted.map((source) => `(?:${source})`).join('|'));
  return `^(?!\\/)${none}(?=${any})`;
}
