import { listed } from '../common/text/strings';
import { MAX_NAMES, nameInSentence } from '../presentation/text/words';
import type { GoalResults } from '../results/experiment-results';
import type { VariationStatistics, Warning } from '../statistics/result';
import { intervalsOf } from '../statistics/shown-intervals';
import { isImpossible, isImpossibleDifference, knownRange } from './comparison';

/** Warnings about the experiment as a whole, which the page shows only once. */
const OF_EXPERIMENT = [
  'SAMPLE_RATIO_MISMATCH',
  'TRAFFIC_DEPLETED',
  'CROSSOVERS',
] as const satisfies Warning[];

type OfGoal = Exclude<Warning, (typeof OF_EXPERIMENT)[number]>;
type Explained = OfGoal | 'IMPOSSIBLE_DIFFERENCE' | 'IMPOSSIBLE_RANGE' | 'UNBOUNDED_RANGE';

/** Explanations of warnings, and of ranges that are impossible or missing. */
const MEANINGS: Record<Explained, string> = {
  NO_PARTICIPANTS: 'there are no participants to compare yet',
  INVALID_COUNTS:
    'there are more conversions than participants, which should not happen; check how your site sends events',
  INSUFFICIENT_DATA: 'there are too few participants to estimate the variance of the values',
  ZERO_VARIANCE:
    'the values do not differ between the participants of a variation, so no conclusion is possible',
  SMALL_COUNTS:
    'there are few conversions or few participants without one, so the intervals are wide and a method for small counts is used',
  UPLIFT_UNSTABLE: 'the change is only approximate, because the original has too little data yet',
  IMPOSSIBLE_DIFFERENCE:
    'the range of the difference extends beyond 100 points, which is impossible for a conversion rate; it is only approximate',
  IMPOSSIBLE_RANGE:
    'the range of the change extends below −100 %, which is impossible for a conversion rate; it is only approximate',
  UNBOUNDED_RANGE:
    'the change has no range yet, because the original has too little data; the difference has a range',
  VALUE_CAPPED: 'very large values are capped, so that individual participants do not determine the result',
};

const isOfGoal = (warning: Warning): warning is OfGoal =>
  !(OF_EXPERIMENT as readonly Warning[]).includes(warning);

/**
 * Whether this variation caused the warning. Every compared variation carries the warning, even if the original caused
 * it.
 */
const CAUSES: Partial<Record<Explained, (variation: VariationStatistics) => boolean>> = {
  NO_PARTICIPANTS: ({ participants }) => participants <= 0,
  INVALID_COUNTS: ({ conversions, participants }) => conversions > participants,
  INSUFFICIENT_DATA: ({ participants }) => participants === 1,
};

/** A goal's warnings as sentences. Each warning appears once, with its variations. */
export function caveatsOf(goal: GoalResults): string[] {
  const { variations } = goal;
  const warned = new Map<Explained, VariationStatistics[]>();
  for (const variation of variations) {
    for (const warning of warningsOf(goal, variation)) {
      warned.set(warning, [...(warned.get(warning) ?? []), variation]);
    }
  }
  return [...warned].map(
    ([warning, concerned]) =>
      `For ${whom(causing(warning, concerned), variations.length)} ${MEANINGS[warning]}.`,
  );
}

function warningsOf(goal: GoalResults, variation: VariationStatistics): Set<Explained> {
  const { difference, uplift } = intervalsOf(variation);
  return new Set([
    ...variation.statistics.warnings.filter(isOfGoal).filter((warning) => concerns(goal, warning)),
    ...(isImpossibleDifference(goal, difference) ? ['IMPOSSIBLE_DIFFERENCE' as const] : []),
    ...(isImpossible(goal, uplift) ? ['IMPOSSIBLE_RANGE' as const] : []),
    ...(uplift === null && knownRange(difference) !== null ? ['UNBOUNDED_RANGE' as const] : []),
  ]);
}

/** Whether a warning is about the goal's verdict. Small counts only concern the conversion rate. */
const concerns = ({ metric }: GoalResults, warning: OfGoal): boolean =>
  warning !== 'SMALL_COUNTS' || metric === 'conversion';

/** The variations that caused a warning, if known. */
function causing(warning: Explained, concerned: VariationStatistics[]): VariationStatistics[] {
  const isCause = CAUSES[warning];
  const causes = isCause === undefined ? [] : concerned.filter(isCause);
  return causes.length === 0 ? concerned : causes;
}

function whom(concerned: readonly VariationStatistics[], all: number): string {
  if (concerned.length > MAX_NAMES) {
    return concerned.length === all ? 'all variations' : 'several variations';
  }
  return listed(concerned.map(({ name }) => nameInSentence(name)));
}
