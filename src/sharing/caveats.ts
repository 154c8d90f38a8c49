import { nameInSentence } from '../presentation/text/names';
import { listed } from '../presentation/text/words';
import type { GoalResults } from '../results/experiment-results';
import type { VariationStatistics, Warning } from '../statistics/result';
import { judgedBlock } from './comparison';
import { isImpossible } from './known-range';

const MAX_NAMES = 3;

type OfGoal = Exclude<Warning, 'SAMPLE_RATIO_MISMATCH'>;
type Explained = OfGoal | 'IMPOSSIBLE_RANGE';

/**
 * What a warning means to somebody who reads the figures, and what a range that cannot be. A mismatch of shares is
 * told about the whole page.
 */
const MEANINGS: Record<Explained, string> = {
  NO_PARTICIPANTS: 'there are no participants to compare yet',
  INVALID_COUNTS:
    'more participants converted than took part, which cannot be; look at how the events are sent',
  INSUFFICIENT_DATA: 'there are too few participants to say how much the values vary',
  ZERO_VARIANCE: 'all participants have the same value, so that nothing can be concluded from it',
  SMALL_COUNTS:
    'few participants converted, or few did not, so the intervals are wide and a method for small counts is used',
  UPLIFT_UNSTABLE: 'the change is only a rough figure, because too little is known about the original yet',
  IMPOSSIBLE_RANGE:
    'the range of the change goes below −100 %, by which no conversion rate can fall; it is only a rough figure, because too little is known yet',
  VALUE_CAPPED: 'very large values are capped, so that single participants do not decide the result',
};

const isOfGoal = (warning: Warning): warning is OfGoal => warning !== 'SAMPLE_RATIO_MISMATCH';

/** Warnings are given to whatever is compared with the original; these are the original's own as often. */
const CAUSES: Partial<Record<Explained, (variation: VariationStatistics) => boolean>> = {
  NO_PARTICIPANTS: ({ participants }) => participants <= 0,
  INVALID_COUNTS: ({ conversions, participants }) => conversions > participants,
  INSUFFICIENT_DATA: ({ participants }) => participants === 1,
};

/** The warnings about a goal in words, each once, with the variations they are about. */
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
  const range = judgedBlock(variation)?.upliftInterval ?? null;
  return new Set([
    ...variation.statistics.warnings.filter(isOfGoal),
    ...(isImpossible(goal, range) ? ['IMPOSSIBLE_RANGE' as const] : []),
  ]);
}

/** Those that gave rise to a warning, where one can tell. */
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
