import type { Outcome } from '../experiments/decision-outcomes';

/** The outcomes of decisions, in the words of the pages. */
export const OUTCOME_NAMES: Readonly<Record<Outcome, string>> = {
  ship: 'Ship a variation',
  revert: 'Keep the original',
  inconclusive: 'Inconclusive',
  invalid: 'Invalid: the data cannot be used',
};
