import { areSameShares, Phase } from '../experiments/experiment-run.store';
import type { Warning } from '../statistics/result';
import type { ExperimentFacts } from './experiment-facts';
import { crossovers, participantsOf, SumsByGoal, total } from './totals';

/* Warnings about an experiment as a whole. */

/**
 * The highest percentage of participants who are crossovers that causes no warning. A few crossovers come from deleted
 * cookies. A higher percentage means that visitors are not recognised.
 */
const MAX_CROSSOVERS_PERCENT = 1;

/** Whether crossovers are so frequent that the measured difference is too small. */
export const hasManyCrossovers = (counted: { participants: number; crossovers: number }): boolean =>
  100 * counted.crossovers > MAX_CROSSOVERS_PERCENT * counted.participants;

type Facts = Pick<ExperimentFacts, 'experiment' | 'phases' | 'variations'>;

/** The warnings about the participants selected by a filter, except for a sample ratio mismatch. */
export function experimentWarnings(facts: Facts, sums: SumsByGoal): Warning[] {
  const found: [Warning, boolean][] = [
    ['TRAFFIC_DEPLETED', hasDepletedPhase(facts, sums)],
    ['CROSSOVERS', hasCrossovers(facts, sums)],
  ];
  return found.flatMap(([warning, holds]) => (holds ? [warning] : []));
}

/**
 * Whether earlier participants have unequally depleted the bucketing ranges of the variations. This is possible only if
 * the same hash selects and assigns visitors, and traffic was below 100 % in an earlier phase with different shares.
 * Returning visitors keep their variation, so new participants do not match the shares, although nothing is wrong.
 */
export function isUnequallyDepleted(
  { experiment, phases }: Pick<Facts, 'experiment' | 'phases'>,
  { number, shares }: Phase,
): boolean {
  return (
    experiment.traffic_in_ranges &&
    phases.some(
      (earlier) =>
        earlier.number < number && earlier.hasPartialTraffic && !areSameShares(earlier.shares, shares),
    )
  );
}

const hasCrossovers = (facts: Facts, sums: SumsByGoal): boolean =>
  hasManyCrossovers({ participants: total(participantsOf(facts, sums)), crossovers: crossovers(sums) });

const hasDepletedPhase = (facts: Facts, sums: SumsByGoal): boolean =>
  facts.phases.some(
    (phase) => isUnequallyDepleted(facts, phase) && total(participantsOf(facts, sums, phase.number)) > 0,
  );
