import {
  type Evidence,
  gatedVerdict,
  hasEnoughConversions,
  hasRunLongEnough,
  significantVerdict,
} from './decision';
import { daysToDecision, daysToMinimum, type ObservedEffect } from './duration';
import { exactRatio } from './exact-ratio';
import { type ArmComparison, compareGoal, hasRate } from './goal-comparison';
import type { ArmTotals, ExperimentTotals, GoalTotals } from './input';
import { meanOf, VALUE_SCALE } from './means';
import { adjustPValues } from './multiple-testing';
import {
  type ConversionStatistics,
  type Correction,
  type ValueStatistics,
  type VariationStatistics,
  type Warning,
  WARNINGS,
} from './result';
import { alphaOf, significanceFraction } from './significance';

/** The p-values of one goal and variation, adjusted for all goals and variations of the experiment. */
interface AdjustedPValues {
  fixed: number | null;
  sequential: number | null;
}

type Described = Pick<
  VariationStatistics,
  | 'participants'
  | 'conversions'
  | 'totalConversions'
  | 'conversionRate'
  | 'totalValue'
  | 'valuePerParticipant'
  | 'valuePerConversion'
>;

type Primary = ConversionStatistics | ValueStatistics;

/** What all goals and variations of one experiment share. */
interface Context {
  input: ExperimentTotals;
  adjusted: ReadonlyMap<ArmComparison, AdjustedPValues>;
}

/**
 * The figures of every goal (outer list) and variation (inner list), both in the order of the input. What cannot be told
 * is null, never NaN or infinite; no whole numbers make it throw. Takes about a millisecond per goal and variation.
 * @param compare may be one that remembers, since time plays no part in it
 */
export function evaluate(
  input: ExperimentTotals,
  compare: typeof compareGoal = compareGoal,
): VariationStatistics[][] {
  const alpha = alphaOf(input.rules.significance);
  const goals = input.goals.map((goal) => compare(goal, input.arms, alpha));
  const context = { input, adjusted: adjustFamily(goals.flat(), input.rules.correction) };
  return goals.map((comparisons, index) => {
    const original = comparisons.find(({ arm }) => arm.isOriginal);
    return comparisons.map((own) => present(context, input.goals[index].direction, own, original));
  });
}

/** The figures of the goal's metric, on which decisions rest. */
function primaryOf({ conversion, value }: ArmComparison): Primary {
  return value ?? conversion;
}

function adjustFamily(
  comparisons: readonly ArmComparison[],
  correction: Correction,
): ReadonlyMap<ArmComparison, AdjustedPValues> {
  const primaries = comparisons.map(primaryOf);
  const fixed = adjustPValues(
    primaries.map(({ pValue }) => pValue),
    correction,
  );
  const sequential = adjustPValues(
    primaries.map((primary) => primary.sequential?.pValue ?? null),
    correction,
  );
  return new Map(
    comparisons.map((comparison, index) => [
      comparison,
      { fixed: fixed[index], sequential: sequential[index] },
    ]),
  );
}

function present(
  { input, adjusted }: Context,
  direction: GoalTotals['direction'],
  own: ArmComparison,
  original: ArmComparison | undefined,
): VariationStatistics {
  const { rules, daysRunning } = input;
  const primary = primaryOf(own);
  const pValues = adjusted.get(own) ?? { fixed: null, sequential: null };
  const compared = original === undefined ? [own] : [...new Set([own, original])];
  const progress = { daysRunning, conversions: compared.map(({ totals }) => totals.converters) };
  const significant = significantVerdict(evidenceOf(primary, pValues), rules, direction);
  const verdict = gatedVerdict(significant, rules, progress);
  const forecast = own.arm.isOriginal
    ? daysToMinimum(rules, progress)
    : daysToDecision(rules, progress, effectOf(own, original), significant !== 'inconclusive');
  return {
    id: own.arm.id,
    name: own.arm.name,
    isOriginal: own.arm.isOriginal,
    ...describe(own.totals),
    uplift: primary.uplift,
    confidence: pValues.fixed === null ? null : 1 - pValues.fixed,
    isConfident: verdict !== 'inconclusive',
    duration: {
      daysRunning,
      // What is missing will be missing for ever where nobody can enter any more.
      daysLeft: input.isClosed && forecast !== 0 ? null : forecast,
      minRuntimeReached: hasRunLongEnough(rules, progress),
      minConversionsReached: hasEnoughConversions(rules, progress),
    },
    statistics: {
      metric: own.value === null ? 'conversion' : 'value',
      method: rules.method,
      significance: significanceFraction(rules.significance),
      ...adjustedBlocks(own, pValues.fixed, rules.correction),
      verdict,
      warnings: warningsOf(own, input.hasSampleRatioMismatch),
    },
  };
}

function describe(totals: ArmTotals): Described {
  const { participants, converters, conversions, value } = totals;
  const sum = { participants, sum: value, sumOfSquares: totals.valueSquared };
  return {
    participants,
    conversions: converters,
    totalConversions: conversions,
    conversionRate: hasRate(totals) ? converters / participants : null,
    totalValue: exactRatio(value, VALUE_SCALE),
    valuePerParticipant: participants > 0 ? meanOf(sum) : null,
    valuePerConversion: conversions > 0 ? exactRatio(value, BigInt(conversions) * VALUE_SCALE) : null,
  };
}

function evidenceOf(primary: Primary, pValues: AdjustedPValues): Evidence {
  return {
    difference: primary.difference,
    pValue: pValues.fixed,
    sequentialPValue: pValues.sequential,
    chanceToBeatOriginal: primary.bayesian?.chanceToBeatOriginal ?? null,
  };
}

function effectOf(own: ArmComparison, original: ArmComparison | undefined): ObservedEffect | null {
  const { difference, standardError } = primaryOf(own);
  return original === undefined || difference === null || standardError === null
    ? null
    : { difference, standardError, participants: original.totals.participants + own.totals.participants };
}

/** The block that is not the goal's metric is outside the family: with a correction it has no adjusted p-value. */
function adjustedBlocks(
  { conversion, value }: ArmComparison,
  pValueAdjusted: number | null,
  correction: Correction,
): { conversion: ConversionStatistics; value: ValueStatistics | null } {
  if (value === null) {
    return { conversion: { ...conversion, pValueAdjusted }, value };
  }
  const outside = correction === 'none' ? conversion.pValue : null;
  return {
    conversion: { ...conversion, pValueAdjusted: outside },
    value: { ...value, pValueAdjusted },
  };
}

function warningsOf({ warnings }: ArmComparison, hasSampleRatioMismatch: boolean): Warning[] {
  return WARNINGS.filter(
    (warning) => warnings.has(warning) || (warning === 'SAMPLE_RATIO_MISMATCH' && hasSampleRatioMismatch),
  );
}
