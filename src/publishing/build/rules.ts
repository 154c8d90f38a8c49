import type { VariationRange } from '@growthbook/growthbook';
import type { BasisPoints, LiveExperiment } from '../definitions';
import type { Rule } from '../evaluation';
import { audienceCondition, Unknowns } from './audience-condition';

const WHOLE: BasisPoints = 10_000;

/** The key of an experiment in payloads, which is its seed too. No page has a query parameter of that name. */
export const experimentKey = (id: number): string => `exp-${id}`;

/**
 * The part of the buckets that each variation has: its place depends on the shares alone and traffic fills it from
 * the front, so whoever is in stays when traffic grows.
 */
export function bucketRanges(shares: readonly BasisPoints[], traffic: BasisPoints): VariationRange[] {
  let start = 0;
  return shares.map((share) => {
    const range: VariationRange = [start / WHOLE, (start + Math.floor((share * traffic) / WHOLE)) / WHOLE];
    start += share;
    return range;
  });
}

/**
 * Who takes part and sees what. SDKs run no experiment with a single variation, so that gets an empty control which
 * nobody sees in front.
 */
export function ruleOf(experiment: LiveExperiment, unknowns: Unknowns): Rule {
  const { id, variations, traffic } = experiment;
  const condition = audienceCondition(experiment, unknowns);
  const ranges = bucketRanges(
    variations.map(({ share }) => share),
    traffic,
  );
  const ids = variations.map((variation) => variation.id);
  const isSingle = ids.length === 1;
  return {
    key: experimentKey(id),
    ranges: isSingle ? [[0, 0], ...ranges] : ranges,
    variations: isSingle ? [null, ...ids] : ids,
    ...(condition === undefined ? {} : { condition }),
  };
}
