import { chancesToBeBest } from './beta-best';
import { BetaPosterior } from './beta-posterior';
import { type CountedRate, conversionStatistics, uncomparedConversions } from './conversion-statistics';
import type { Arm, ArmTotals, GoalTotals } from './input';
import { scaledVariance, type ValueTotals } from './means';
import type { ConversionStatistics, ValueStatistics, Warning } from './result';
import { UNCOMPARED_VALUES, valueStatistics } from './value-statistics';

/** The figures of one goal and variation before those of other goals play a part. */
export interface ArmComparison {
  arm: Arm;
  totals: ArmTotals;
  conversion: ConversionStatistics;
  value: ValueStatistics | null;
  warnings: ReadonlySet<Warning>;
}

interface CountedArm {
  arm: Arm;
  totals: ArmTotals;
  /** Null without participants, and for counts that cannot be. */
  rate: CountedRate | null;
}

const NOTHING: ArmTotals = { participants: 0, converters: 0, conversions: 0, value: 0n, valueSquared: 0n };

/** Compares each variation with the original on one goal, in the order given; without an original none. */
export function compareGoal(goal: GoalTotals, arms: readonly Arm[], alpha: number): ArmComparison[] {
  const counted = arms.map((arm) => countArm(arm, goal));
  const original = counted.find(({ arm }) => arm.isOriginal);
  const chances = chancesByArm(counted, goal.direction);
  return counted.map((own) => {
    const control = own.arm.isOriginal ? undefined : original;
    const conversion = compareConversions(control, own, goal, alpha, chances.get(own) ?? null);
    const value = goal.hasValue ? compareValues(control, own, goal, alpha) : null;
    const warnings = new Set([
      ...countWarnings(control === undefined ? [own] : [control, own], goal.hasValue),
      ...conversion.warnings,
      ...(value?.warnings ?? []),
    ]);
    return { ...own, conversion: conversion.statistics, value: value?.statistics ?? null, warnings };
  });
}

function countArm(arm: Arm, goal: GoalTotals): CountedArm {
  const counts = goal.totals.get(arm.id) ?? NOTHING;
  const totals = goal.hasValue ? counts : { ...counts, value: 0n, valueSquared: 0n };
  return { arm, totals, rate: hasRate(totals) ? countedRate(totals) : null };
}

/** Can a conversion rate be told? Not without participants, nor when more of them converted than there are. */
export function hasRate({ participants, converters }: ArmTotals): boolean {
  return participants > 0 && converters >= 0 && converters <= participants;
}

function countedRate({ participants, converters }: ArmTotals): CountedRate {
  const counts = { successes: converters, trials: participants };
  return { counts, posterior: new BetaPosterior(counts) };
}

/** Among the variations whose rate can be told, when there are at least two. */
function chancesByArm(
  arms: readonly CountedArm[],
  direction: GoalTotals['direction'],
): ReadonlyMap<CountedArm, number> {
  const rated = arms.flatMap((arm) => (arm.rate === null ? [] : [{ arm, posterior: arm.rate.posterior }]));
  if (rated.length < 2) {
    return new Map();
  }
  const best = direction === 'increase' ? 'highest' : 'lowest';
  const chances = chancesToBeBest(
    rated.map(({ posterior }) => posterior),
    best,
  );
  return new Map(rated.map(({ arm }, index) => [arm, chances[index]]));
}

function compareConversions(
  control: CountedArm | undefined,
  own: CountedArm,
  goal: GoalTotals,
  alpha: number,
  chanceToBeBest: number | null,
): { statistics: ConversionStatistics; warnings: Warning[] } {
  if (control === undefined || control.rate === null || own.rate === null) {
    return { statistics: uncomparedConversions(chanceToBeBest), warnings: [] };
  }
  const { statistics, warnings } = conversionStatistics(control.rate, own.rate, alpha, goal.direction);
  const bayesian = statistics.bayesian === null ? null : { ...statistics.bayesian, chanceToBeBest };
  return { statistics: { ...statistics, bayesian }, warnings };
}

function compareValues(
  control: CountedArm | undefined,
  own: CountedArm,
  goal: GoalTotals,
  alpha: number,
): { statistics: ValueStatistics; warnings: Warning[] } {
  const isComparable = control !== undefined && [control, own].every(({ totals }) => hasMean(totals));
  return isComparable
    ? valueStatistics(valuesOf(control.totals), valuesOf(own.totals), alpha, goal.direction)
    : { statistics: UNCOMPARED_VALUES, warnings: [] };
}

/** Can a mean per participant be told? Not without participants, nor from sums that no values can have. */
function hasMean(totals: ArmTotals): boolean {
  return totals.participants > 0 && scaledVariance(valuesOf(totals)) >= 0n;
}

function valuesOf({ participants, value, valueSquared }: ArmTotals): ValueTotals {
  return { participants, sum: value, sumOfSquares: valueSquared };
}

/** What is wrong with the counts of the variations concerned. */
function countWarnings(arms: readonly CountedArm[], hasValue: boolean): Warning[] {
  const warnings: Warning[] = [];
  if (arms.some(({ totals }) => totals.participants <= 0)) {
    warnings.push('NO_PARTICIPANTS');
  }
  if (arms.some(({ totals }) => isImpossible(totals))) {
    warnings.push('INVALID_COUNTS');
  }
  if (hasValue && arms.some(({ totals }) => totals.participants === 1)) {
    warnings.push('INSUFFICIENT_DATA');
  }
  return warnings;
}

function isImpossible(totals: ArmTotals): boolean {
  const { participants, converters } = totals;
  return converters < 0 || converters > participants || scaledVariance(valuesOf(totals)) < 0n;
}
