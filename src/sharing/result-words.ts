import type { GoalResults, GoalRole } from '../results/experiment-results';
import type { VariationStatistics } from '../statistics/result';
import { isOpen, isPlanOver } from './gates';
import { type Tone, variationVerdict } from './verdict';

/** The decision about a variation on one goal. */
export interface DecisionWord {
  tone: Tone;
  word: string;
}

/** The decision in one to three words; null for the original. */
export function decisionWord(
  goal: Pick<GoalResults, 'tripped' | 'gates'>,
  variation: VariationStatistics,
): DecisionWord | null {
  const { isOriginal, duration } = variation;
  if (isOriginal) {
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
      return undecided(isOpen(duration), isPlanOver(goal, variation));
  }
}

function undecided(isOpen: boolean, isOver: boolean): DecisionWord {
  if (isOver) {
    return { tone: 'nothing', word: 'No verdict' };
  }
  return { tone: 'waiting', word: isOpen ? 'Not certain' : 'Too early' };
}

const NAMES: Record<GoalRole, string> = {
  primary: 'Primary goal',
  secondary: 'Goal',
  guardrail: 'Guardrail',
};

/** The role of a goal in its experiment, and whether a guardrail is tripped. */
export const roleWords = ({ role, tripped }: Pick<GoalResults, 'role' | 'tripped'>): string =>
  tripped.length > 0 ? `${NAMES[role]}, tripped` : NAMES[role];
