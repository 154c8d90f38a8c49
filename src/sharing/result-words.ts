import type { GoalResults, GoalRole } from '../results/experiment-results';
import type { VariationStatistics } from '../statistics/result';
import { isOpen } from './gates';
import type { Tone } from './verdict';

/** The decision about a variation on one goal. */
export interface DecisionWord {
  tone: Tone;
  word: string;
}

const WORSE: DecisionWord = { tone: 'worse', word: 'Worse' };

/** The decision in one or two words; null for the original. A tripped guardrail does not wait for its verdict. */
export function decisionWord(
  { tripped }: Pick<GoalResults, 'tripped'>,
  { id, isOriginal, statistics, duration }: VariationStatistics,
): DecisionWord | null {
  if (isOriginal) {
    return null;
  }
  switch (statistics.verdict) {
    case 'winner':
      return { tone: 'better', word: 'Better' };
    case 'loser':
      return WORSE;
    case 'untrustworthy':
      return { tone: 'doubt', word: 'Do not trust' };
    case 'inconclusive':
      return tripped.includes(id) ? WORSE : undecided(isOpen(duration), statistics.planned?.isOver === true);
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
