import type { GoalResults, GoalRole } from '../results/experiment-results';

const NAMES: Record<GoalRole, string> = {
  primary: 'Primary goal',
  secondary: 'Goal',
  guardrail: 'Guardrail',
};

/** The role of a goal in its experiment, and whether a guardrail is tripped. */
export const roleWords = ({ role, tripped }: Pick<GoalResults, 'role' | 'tripped'>): string =>
  tripped.length > 0 ? `${NAMES[role]}, tripped` : NAMES[role];
