import type { Filter, VariationRange } from '@growthbook/growthbook';
import { experimentKey } from '../../events/exposure';
import { BasisPoints, LiveExclusion, LiveExperiment, WHOLE } from '../definitions';
import { HASH_ATTRIBUTE, HASH_VERSION, Rule } from '../evaluation';
import { audienceCondition, Unknowns } from './audience-condition';

type Bucketing = Pick<Rule, 'ranges' | 'filters'>;
type Filters = Pick<Rule, 'exclusion' | 'filters'>;

/** Seed for the hash that decides which visitors take part. */
const trafficSeed = (id: number): string => `${experimentKey(id)}-traffic`;

/** Seed for the hash that divides the visitors in an exclusion group among its experiments. */
const groupSeed = (id: number): string => `exclusion-group-${id}`;

/**
 * The bucket range of each variation. The start of a range depends only on the shares, and more traffic extends the
 * range at its other end, so participants keep their variation.
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
 * The bucketing of an experiment. Two independent hashes select visitors and assign variations, so new participants are
 * always split by the current shares. The first release used one hash for both purposes, so after a change of shares,
 * earlier participants had depleted the new ranges unequally.
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

/** The visitors whom the exclusion group assigns to an experiment. */
const exclusionOf = ({ group, ranges }: LiveExclusion): Filter => ({
  attribute: HASH_ATTRIBUTE,
  seed: groupSeed(group),
  hashVersion: HASH_VERSION,
  ranges: ranges.map(([first, end]) => [first / WHOLE, end / WHOLE]),
});

/**
 * A rule's filters in the format of the SDKs, which do not distinguish the reasons why a visitor does not take part.
 */
export function filtersOf({ exclusion, filters = [] }: Filters): { filters?: Filter[] } {
  const all = exclusion === undefined ? filters : [exclusion, ...filters];
  return all.length === 0 ? {} : { filters: all };
}

/**
 * The bucketing rule. SDKs do not run experiments with a single variation, so an empty control without traffic is added
 * in front of it.
 */
export function ruleOf(experiment: LiveExperiment, unknowns: Unknowns): Rule {
  const { id, variations, exclusion } = experiment;
  const condition = audienceCondition(experiment, unknowns);
  const { ranges, ...filtered } = bucketingOf(experiment);
  const ids = variations.map((variation) => variation.id);
  const isSingle = ids.length === 1;
  return {
    key: experimentKey(id),
    ranges: isSingle ? [[0, 0], ...ranges] : ranges,
    ...(exclusion === undefined ? {} : { exclusion: exclusionOf(exclusion) }),
    ...filtered,
    variations: isSingle ? [null, ...ids] : ids,
    ...(condition === undefined ? {} : { condition }),
  };
}
