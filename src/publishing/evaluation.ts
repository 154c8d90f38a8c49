import { evalCondition, GrowthBookClient } from '@growthbook/growthbook';
import type { ConditionInterface, VariationRange } from '@growthbook/growthbook';

/* The one evaluator: the snippet, `/v1/decide` and OFREP all decide here, and SDKs do the same with the payload. */

/** Who takes part in an experiment and sees what, in the terms of the SDK. */
export interface Rule {
  /** `exp-<experiment id>`, also the seed that assigns visitors. */
  key: string;
  /** The bucket range of each variation. */
  ranges: VariationRange[];
  /** The id of each variation; null for the empty control that an experiment with one variation has in front. */
  variations: (number | null)[];
  /** Who is eligible; everyone without it. */
  condition?: ConditionInterface;
}

export type Attributes = Record<string, unknown>;

/** What became of a visitor: a variation's id with how it came to be, or why there is none. */
export type Assignment =
  { variation: number; reason: 'assigned' | 'kept' } | { variation: null; reason: 'audience' | 'traffic' };

export const HASH_ATTRIBUTE = 'id';
export const HASH_VERSION = 2;
const client = new GrowthBookClient();

/**
 * Decides which variation a visitor sees.
 * @param visitorId 1 to 64 printable ASCII characters
 * @param kept the id of the variation that the visitor was assigned earlier; it is kept whatever the rule says now,
 * as long as the variation is there
 */
export function assign(rule: Rule, visitorId: string, attributes: Attributes, kept?: number): Assignment {
  const { key, ranges, variations, condition } = rule;
  if (kept !== undefined && variations.includes(kept)) {
    return { variation: kept, reason: 'kept' };
  }
  const known = { ...attributes, [HASH_ATTRIBUTE]: visitorId };
  if (condition !== undefined && !evalCondition(known, condition)) {
    return { variation: null, reason: 'audience' };
  }
  const { inExperiment, variationId } = client.runInlineExperiment(
    {
      key,
      seed: key,
      hashAttribute: HASH_ATTRIBUTE,
      hashVersion: HASH_VERSION,
      ranges,
      variations: variations as [number | null, number | null],
    },
    { attributes: known },
  );
  const variation = inExperiment ? variations[variationId] : null;
  return variation === null ? { variation, reason: 'traffic' } : { variation, reason: 'assigned' };
}
