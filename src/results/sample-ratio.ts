import { UNKNOWN_PHASE_NUMBER } from '../events/counting-rules';
import { filledShares } from '../experiments/variations/variation-shares';
import type { SampleRatio } from '../statistics/result';
import { sampleRatio, sampleRatioOfPhases } from '../statistics/srm';
import type { ExperimentFacts } from './experiment-facts';
import { isUnequallyDepleted } from './experiment-warnings';
import { participantsOf, type SumsByGoal, total } from './totals';

/** 100 % in basis points, the unit in which shares are stored. */
const BASIS_POINTS = 10_000;

/**
 * SRM test: whether the participants in each phase match the published shares. Phases in which earlier participants had
 * depleted the ranges unequally are excluded. Unpublished experiments are tested against their defined shares.
 */
export function sampleRatioOf(facts: ExperimentFacts, sums: SumsByGoal): SampleRatio {
  const { phases, variations } = facts;
  if (phases.length === 0) {
    return sampleRatio(participantsOf(facts, sums), definedShares(facts));
  }
  return sampleRatioOfPhases(
    phases.map((phase) => ({
      counts: participantsOf(facts, sums, phase.number),
      weights: variations.map(({ id }) => phase.shares[id] ?? 0),
      isUnequallyDepleted: isUnequallyDepleted(facts, phase),
    })),
    total(participantsOf(facts, sums, UNKNOWN_PHASE_NUMBER)),
  );
}

/** The shares that the experiment defines for its variations, as fractions. */
export const definedShares = ({ variations }: Pick<ExperimentFacts, 'variations'>): number[] =>
  filledShares(variations.map(({ traffic_allocation }) => traffic_allocation));

/**
 * The expected share of participants for each variation, as a fraction. It is derived from the shares that were
 * published in the participants' phases. If there are no participants, the last phase applies; if nothing has been
 * published, the defined shares apply.
 */
export function expectedShares(facts: ExperimentFacts, sums: SumsByGoal): ReadonlyMap<number, number> {
  const { phases, variations } = facts;
  const last = phases.at(-1);
  if (last === undefined) {
    const shares = definedShares(facts);
    return new Map(variations.map(({ id }, index) => [id, shares[index]]));
  }
  const counted = phases.map(({ number, shares }) => ({
    shares,
    weight: total(participantsOf(facts, sums, number)),
  }));
  const parts = counted.some(({ weight }) => weight > 0) ? counted : [{ shares: last.shares, weight: 1 }];
  const whole = total(parts.map(({ weight }) => weight)) * BASIS_POINTS;
  return new Map(
    variations.map(({ id }) => [
      id,
      total(parts.map(({ shares, weight }) => weight * (shares[id] ?? 0))) / whole,
    ]),
  );
}
