import {
  conversionsAsValues,
  convertersIn,
  hasRate,
  meanStrata,
  metricOf,
  rateCounts,
  ratedStrata,
  valuesOf,
} from './pair';
import { BetaPosteriors, chancesOfEffects, chancesOfRates } from './beta-posterior';
import { type CountedRate, conversionStatistics, uncomparedConversions } from './conversion-statistics';
import type { Effect } from './effect';
import type { Arm, ArmTotals, ComparisonSettings, GoalTotals, PhaseTotals } from './input';
import { scaledVariance, type ValueTotals } from './means';
import { ratioStatistics } from './ratio-statistics';
import type { ConversionStatistics, Metric, RatioStatistics, ValueStatistics, Warning } from './result';
import { TUNING } from './sequential';
import { countedStrata, mapStratum, type Stratum, strataOf, totalsOver } from './strata';
import { uncomparedValues, valueStatistics } from './value-statistics';

/** The figures for one goal and variation, not yet adjusted for other goals. */
export interface ArmComparison {
  arm: Arm;
  /** The totals for all phases. */
  totals: ArmTotals;
  /** The number of participants who converted in each compared variation, within the counted strata. */
  converters: readonly number[];
  metric: Metric;
  conversion: ConversionStatistics;
  value: ValueStatistics | null;
  count: ValueStatistics | null;
  ratio: RatioStatistics | null;
  /** The effect on the goal's metric; null if there is no comparison. */
  effect: Effect | null;
  /** The number of participants in the pair for which the sequential test is most sensitive. */
  tuning: number;
  warnings: ReadonlySet<Warning>;
}

/** The data for comparing a pair of variations. */
interface Pair {
  strata: readonly Stratum<ArmTotals>[];
  direction: GoalTotals['direction'];
  settings: Pick<ComparisonSettings, 'alpha' | 'upliftPrior'> & { tuning: number };
}

interface Block<S> {
  statistics: S;
  effect: Effect | null;
  warnings: readonly Warning[];
}

interface Compared {
  arm: Arm;
  totals: ArmTotals;
  /** Null if there is no comparison. */
  pair: Pair | null;
  conversion: Block<ConversionStatistics>;
  value: Block<ValueStatistics> | null;
  count: Block<ValueStatistics> | null;
  ratio: RatioStatistics | null;
}

/**
 * Compares each variation with the original on one goal. The result is in the order of `arms`. If there is no original,
 * nothing is compared.
 */
export function compareGoal(
  goal: GoalTotals,
  arms: readonly Arm[],
  settings: ComparisonSettings,
): ArmComparison[] {
  const phases = goal.hasValue ? goal.phases : goal.phases.map(withoutValues);
  const original = arms.find(({ isOriginal }) => isOriginal);
  const posteriors = new BetaPosteriors();
  const compared = arms.map((arm) => {
    const control = arm.isOriginal ? undefined : original;
    const pair = control === undefined ? null : pairOf(phases, control, arm, goal.direction, settings);
    return compareArm(goal, arm, totalsOver(phases, arm.id), pair, { alpha: settings.alpha, posteriors });
  });
  return withChances(compared, goal.direction, settings.upliftPrior, posteriors).map((own) => {
    const control = own.pair === null ? [] : compared.filter(({ arm }) => arm.isOriginal);
    return presented(goal, own, [...control, own]);
  });
}

function withoutValues({ shares, totals }: PhaseTotals): PhaseTotals {
  const nothing = { value: 0n, valueSquared: 0n, valueByConversions: 0n, uncappedValue: null };
  return { shares, totals: new Map([...totals].map(([id, arm]) => [id, { ...arm, ...nothing }])) };
}

function pairOf(
  phases: readonly PhaseTotals[],
  control: Arm,
  arm: Arm,
  direction: GoalTotals['direction'],
  { alpha, upliftPrior, tuning }: ComparisonSettings,
): Pair {
  return {
    strata: strataOf(phases, control.id, arm.id),
    direction,
    settings: { alpha, upliftPrior, tuning: tuning.get(arm.id) ?? TUNING },
  };
}

function compareArm(
  { hasValue, counting }: GoalTotals,
  arm: Arm,
  totals: ArmTotals,
  pair: Pair | null,
  { alpha, posteriors }: { alpha: number; posteriors: BetaPosteriors },
): Compared {
  return {
    arm,
    totals,
    pair,
    conversion: compareConversions(pair, posteriors),
    value: hasValue ? compareMeans(pair, valuesOf) : null,
    count: counting === 'every' ? compareMeans(pair, conversionsAsValues) : null,
    ratio: hasValue ? ratioStatistics(totals, pair?.strata ?? null, alpha) : null,
  };
}

function compareConversions(pair: Pair | null, posteriors: BetaPosteriors): Block<ConversionStatistics> {
  const countedRate = (totals: ArmTotals): CountedRate => {
    const counts = rateCounts(totals);
    return { counts, posterior: posteriors.of(counts) };
  };
  const strata = ratedStrata(pair?.strata ?? []);
  return pair === null || strata.length === 0
    ? { statistics: uncomparedConversions(null), effect: null, warnings: [] }
    : conversionStatistics(
        strata.map((stratum) => mapStratum(stratum, countedRate)),
        pair.settings,
        pair.direction,
      );
}

function compareMeans(
  pair: Pair | null,
  valuesIn: (totals: ArmTotals) => ValueTotals,
): Block<ValueStatistics> {
  const strata = meanStrata(pair?.strata ?? [], valuesIn);
  return pair === null || strata.length === 0
    ? { statistics: uncomparedValues(null), effect: null, warnings: [] }
    : valueStatistics(strata, pair.settings, pair.direction);
}

/** Adds to each block the chance that the variation is the best of all. */
function withChances(
  compared: readonly Compared[],
  direction: GoalTotals['direction'],
  prior: number | null,
  posteriors: BetaPosteriors,
): Compared[] {
  const best = direction === 'increase' ? 'highest' : 'lowest';
  const chancesBy = (effectIn: (one: Compared) => Effect | null | undefined): ReadonlyMap<number, number> =>
    chancesOfEffects(
      compared.map((one) => ({ arm: one.arm, effect: effectIn(one) ?? null })),
      best,
      prior,
    );
  const isBeta = compared.every(({ conversion }) => conversion.statistics.bayesian?.prior !== null);
  const shared = isBeta ? sharedTotals(compared) : null;
  const rates =
    shared === null
      ? chancesBy(({ conversion }) => conversion.effect)
      : chancesOfRates(
          shared
            .filter(({ totals }) => hasRate(totals))
            .map(({ arm, totals }) => ({ arm, rate: posteriors.of(rateCounts(totals)) })),
          best,
        );
  const values = chancesBy(({ value }) => value?.effect);
  const counts = chancesBy(({ count }) => count?.effect);
  return compared.map((own) => ({
    ...own,
    conversion: withChance(own.conversion, rates.get(own.arm.id) ?? null, uncomparedConversions),
    value: own.value && withChance(own.value, values.get(own.arm.id) ?? null, uncomparedValues),
    count: own.count && withChance(own.count, counts.get(own.arm.id) ?? null, uncomparedValues),
  }));
}

/**
 * The totals of each variation in the stratum in which all variations are compared; null if there is no such stratum or
 * more than one. If there is no original, the totals for all phases.
 */
function sharedTotals(compared: readonly Compared[]): readonly Pick<Compared, 'arm' | 'totals'>[] | null {
  const pairs = compared.flatMap(({ arm, pair }) =>
    pair === null ? [] : [{ arm, counted: countedStrata(pair.strata, 1) }],
  );
  if (pairs.length === 0) {
    return compared;
  }
  const [original] = pairs.flatMap(({ counted }) => counted.map(({ control }) => control));
  const isShared = pairs.every(
    ({ counted }) => counted.length === 1 && haveSameRate(counted[0].control, original),
  );
  if (!isShared) {
    return null;
  }
  const own = new Map(pairs.map(({ arm, counted: [only] }) => [arm.id, only.variation]));
  return compared.map(({ arm }) => ({ arm, totals: own.get(arm.id) ?? original }));
}

const haveSameRate = (first: ArmTotals, second: ArmTotals): boolean =>
  first.participants === second.participants && first.converters === second.converters;

function withChance<S extends ConversionStatistics | ValueStatistics>(
  block: Block<S>,
  chanceToBeBest: number | null,
  uncompared: (chance: number | null) => S,
): Block<S> {
  const bayesian = block.statistics.bayesian ?? uncompared(chanceToBeBest).bayesian;
  const known = bayesian === null ? null : { ...bayesian, chanceToBeBest };
  return { ...block, statistics: { ...block.statistics, bayesian: known } };
}

function presented(goal: GoalTotals, own: Compared, compared: readonly Compared[]): ArmComparison {
  const { arm, totals, pair, conversion, value, count, ratio } = own;
  const metric = metricOf(goal);
  const isApart = pair !== null && countedStrata(pair.strata, 1).length === 0;
  return {
    arm,
    totals,
    converters: pair === null ? [totals.converters] : convertersIn(pair.strata),
    metric,
    conversion: conversion.statistics,
    value: value?.statistics ?? null,
    count: count?.statistics ?? null,
    ratio,
    effect: { conversion, value, count }[metric]?.effect ?? null,
    tuning: pair?.settings.tuning ?? TUNING,
    warnings: new Set([
      ...countWarnings(
        compared.map((each) => each.totals),
        metric !== 'conversion' || goal.hasValue,
      ),
      ...(isApart ? ['NO_PARTICIPANTS' as const] : []),
      ...conversion.warnings,
      ...(value?.warnings ?? []),
      ...(count?.warnings ?? []),
    ]),
  };
}

/** Warnings about the variations' counts. */
function countWarnings(arms: readonly ArmTotals[], hasMeans: boolean): Warning[] {
  const found: readonly [Warning, (totals: ArmTotals) => boolean][] = [
    ['NO_PARTICIPANTS', ({ participants }) => participants <= 0],
    ['INVALID_COUNTS', isImpossible],
    ['INSUFFICIENT_DATA', ({ participants }) => hasMeans && participants === 1],
    ['VALUE_CAPPED', ({ value, uncappedValue }) => uncappedValue !== null && uncappedValue !== value],
  ];
  return found.flatMap(([warning, holds]) => (arms.some(holds) ? [warning] : []));
}

function isImpossible(totals: ArmTotals): boolean {
  const { participants, converters } = totals;
  const isImpossibleMean = [valuesOf(totals), conversionsAsValues(totals)].some(
    (values) => scaledVariance(values) < 0n,
  );
  return converters < 0 || converters > participants || isImpossibleMean;
}
