import type { Filter, VariationRange } from '@growthbook/growthbook';
import { BasisPoints, LiveExperiment, WHOLE } from '../definitions';
import { HASH_ATTRIBUTE, HASH_VERSION, Rule } from '../evaluation';
import { audienceCondition, Unknowns } from './audience-condition';

type Bucketing = Pick<Rule, 'ranges' | 'filters'>;

/** The key of an experiment in payloads, which is its seed too. No page has a query parameter of that name. */
export const experimentKey = (id: number): string => `exp-${id}`;

/** Seed of the hash that decides who takes part. */
const trafficSeed = (id: number): string => `${experimentKey(id)}-traffic`;

/**
 * The bucket range of each variation. Its start depends on the shares only, and traffic fills it from the start, so
 * participants keep their variation when traffic increases.
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
 * The bucketing of an experiment. Visitors are chosen and assigned by hashes that are independent of each other, so
 * those who have not taken part yet divide as any shares say. With one hash for both, as in the first release, changed
 * shares meet ranges that earlier participants have used up unequally.
 */
function bucketingOf({ id, variations, traffic, traffic_filter }: LiveExperiment): Bucketing {
  const shares = variations.map(({ share }) => share);
  if (traffic_filter === undefined) {
    return { ranges: bucketRanges(shares, traffic) };
  }
  const filter: Filter = {
    attribute: HASH_ATTRIBUTE,
    seed: trafficSeed(id),
    hashVersion: HASH_VERSION,
    ranges: [[0, traffic / WHOLE]],
  };
  return { ranges: bucketRanges(shares, WHOLE), ...(traffic < WHOLE ? { filters: [filter] } : {}) };
}

/**
 * The bucketing rule. SDKs do not run experiments with a single variation, so those get an empty control without
 * traffic in front.
 */
export function ruleOf(experiment: LiveExperiment, unknowns: Unknowns): Rule {
  const { id, variations } = experiment;
  const condition = audienceCondition(experiment, unknowns);
  const { ranges, ...filtered } = bucketingOf(experiment);
  const ids = variations.map((variation) => variation.id);
  const isSingle = ids.length === 1;
  return {
    key: experimentKey(id),
    ranges: isSingle ? [[0, 0], ...ranges] : ranges,
    ...filtered,
    variations: isSingle ? [null, ...ids] : ids,
    ...(condition === undefined ? {} : { condition }),
  };
}
