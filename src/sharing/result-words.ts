import type { GoalResults, GoalRole } from '../results/experiment-results';
import type { VariationStatistics } from '../statistics/result';
import { isOpen, isPlanOver, isStopped, lookToCome } from './gates';
import { type Judged, variationVerdict } from './verdict';
import type { Tone } from './verdict-text';
import { STOPPED } from './without-verdict';

/** The decision about a variation on one goal. */
export interface DecisionWord {
  tone: Tone;
  word: string;
}

/** The decision in one to three words; null for the original. */
export function decisionWord(goal: Judged, variation: VariationStatistics): DecisionWord | null {
  if (variation.isOriginal) {
    return null;
  }
  switch (variationVerdict(goal, variation)) {
    case 'winner':
      return { tone: 'better', word: 'Better' };
    case 'loser':
      return { tone: 'worse', word: 'Worse' };
    case 'untrustworthy':
      return { tone: 'doubt', word: 'Do not trust' };
    case 'inconclusive':
      return undecided(goal, variation);
  }
}

function undecided(goal: Judged, variation: VariationStatistics): DecisionWord {
  if (variation.participants === 0) {
    return { tone: 'nothing', word: 'No participants' };
  }
  if (isPlanOver(goal, variation)) {
    return { tone: 'nothing', word: 'No verdict' };
  }
  if (isStopped(goal, variation)) {
    return { tone: 'nothing', word: STOPPED };
  }
  const isEarly = !isOpen(variation.duration) || lookToCome(goal, variation) !== null;
  return { tone: 'waiting', word: isEarly ? 'Too early' : 'Not certain' };
}

const NAMES: Record<GoalRole, string> = {
  primary: 'Primary goal',
  secondary: 'Goal',
  guardrail: 'Guardrail',
};

/** The role of a goal in its experiment, and whether a guardrail is tripped. */
export const roleWords = ({ role, tripped }: Pick<GoalResults, 'role' | 'tripped'>): string =>
  tripped.length > 0 ? `${NAMES[role]}, tripped` : NAMES[role];
