import { evalCondition, GrowthBookClient } from '@growthbook/growthbook';
import type { ConditionInterface, Filter, VariationRange } from '@growthbook/growthbook';
import { comparable } from './comparable';

/* The one evaluator: the snippet, `/v1/decide` and OFREP all decide here, and SDKs do the same with the payload. */

/** Who takes part in an experiment and sees what, in the terms of the SDK. */
export interface Rule {
  /** `exp-<experiment id>`, also the seed that assigns visitors. */
  key: string;
  /** The bucket range of each variation. */
  ranges: VariationRange[];
  /** Who of the eligible visitors takes part, by a hash with a seed of its own; all without it. */
  filters?: Filter[];
  /** The id of each variation; null for the empty control that an experiment with one variation has in front. */
  variations: (number | null)[];
  /** Who is eligible; everyone without it. */
  condition?: ConditionInterface;
  /** What the condition asks for besides the attributes of the visitor, found out from these. */
  derive?: (attributes: Attributes) => Attributes;
}

export type Attributes = Record<string, unknown>;

/** What became of a visitor: a variation's id with how it came to be, or why there is none. */
export type Assignment =
  { variation: number; reason: 'assigned' | 'kept' } | { variation: null; reason: 'audience' | 'traffic' };

export const HASH_ATTRIBUTE = 'id';
export const HASH_VERSION = 2;
const client = new GrowthBookClient();

/** A visitor as rules see it, found out once for all rules. */
export interface Subject {
  /** 1 to 64 printable ASCII characters. */
  id: string;
  /** See `comparable`. */
  attributes: Attributes;
  /** The same with the id. */
  known: Attributes;
  /** Which conditions are true of the visitor: experiments for the same audiences share theirs. */
  eligible: Map<ConditionInterface, boolean>;
}

export function subjectOf(visitorId: string, given: Attributes): Subject {
  const attributes = comparable(given);
  const known = { ...attributes, [HASH_ATTRIBUTE]: visitorId };
  return { id: visitorId, attributes, known, eligible: new Map() };
}

/**
 * Decides which variation a visitor sees.
 * @param kept the id of the variation that the visitor was assigned earlier; it is kept whatever the rule says now,
 * as long as the variation is there
 */
export function assign(rule: Rule, subject: Subject, kept?: number): Assignment {
  const { key, ranges, filters, variations } = rule;
  if (kept !== undefined && variations.includes(kept)) {
    return { variation: kept, reason: 'kept' };
  }
  if (!isEligible(rule, subject)) {
    return { variation: null, reason: 'audience' };
  }
  const { inExperiment, variationId } = client.runInlineExperiment(
    {
      key,
      seed: key,
      hashAttribute: HASH_ATTRIBUTE,
      hashVersion: HASH_VERSION,
      ranges,
      filters,
      variations: variations as [number | null, number | null],
    },
    // The SDK copies the attributes, of which it needs the id alone.
    { attributes: { [HASH_ATTRIBUTE]: subject.id } },
  );
  const variation = inExperiment ? variations[variationId] : null;
  return variation === null ? { variation, reason: 'traffic' } : { variation, reason: 'assigned' };
}

function isEligible(rule: Rule, subject: Subject): boolean {
  const { condition } = rule;
  if (condition === undefined) {
    return true;
  }
  const answer = subject.eligible.get(condition) ?? evalCondition(knownTo(rule, subject), condition);
  subject.eligible.set(condition, answer);
  return answer;
}

/** What the condition of a rule is compared with. Inherited attributes count like own ones. */
function knownTo({ derive }: Rule, { attributes, known }: Subject): Attributes {
  return derive === undefined ? known : Object.assign(Object.create(known) as Attributes, derive(attributes));
}
