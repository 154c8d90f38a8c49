import { groupBy } from '../common/lists/collections';
import type { PageCondition } from '../resources/pages/page-conditions';
import { compilePage, matchesNormalized, normalized } from '../resources/pages/page-matching';
import {
  type CountedPage,
  type EventTimes,
  type GoalDefinition,
  isWithin,
  type PageviewGoal,
  type Period,
} from './definitions';
import type { LiveNames, PublishedGoal } from './live-names';

/**
 * The pageview goals with the pages that browsers know: the live ones, and those of earlier revisions that open pages
 * may still run. If a goal is not live, its current page counts.
 */
export function pageviewGoals(
  goals: ReadonlyMap<number, GoalDefinition>,
  current: ReadonlyMap<number, PageCondition[]>,
  { goals: live, earlierGoals }: LiveNames,
): PageviewGoal[] {
  const liveById = pageviewsById(live);
  const earlierById = pageviewsById(earlierGoals);
  return [...goals.values()]
    .filter(({ type }) => type === 'pageview')
    .map((goal) => {
      const { id } = goal;
      const always = liveById.get(id) ?? [{ conditions: current.get(id) ?? null }];
      const limited = earlierById.get(id) ?? [];
      return {
        ...goal,
        pages: [
          ...always.map(({ conditions }) => countedPage(conditions, null)),
          ...limited.map(({ conditions, from, until }) => countedPage(conditions, { from, until })),
        ],
      };
    });
}

/** A goal can have had a different type, and no page, when it was published. */
const pageviewsById = <T extends PublishedGoal>(goals: readonly T[]): Map<number, T[]> =>
  groupBy(
    goals.filter(({ type }) => type === 'pageview'),
    ({ id }) => id,
  );

const countedPage = (conditions: PageCondition[] | null, period: Period | null): CountedPage => ({
  matcher: compilePage(conditions ?? []),
  period,
});

/** The goals that a view of an absolute URL counts towards. */
export function viewedGoals(goals: readonly PageviewGoal[], url: string, times: EventTimes): PageviewGoal[] {
  const address = normalized(url);
  return goals.filter(({ pages }) =>
    pages.some(
      ({ matcher, period }) =>
        (period === null || isWithin(period, times)) && matchesNormalized(matcher, address),
    ),
  );
}
