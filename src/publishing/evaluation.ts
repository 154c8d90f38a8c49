import { evalCondition, GrowthBookClient } from '@growthbook/growthbook';
import type { ConditionInterface, Filter, VariationRange } from '@growthbook/growthbook';
import { comparable } from './comparable';

/* The only evaluator. The snippet, `/v1/decide` and OFREP all use it, and SDKs evaluate the payload in the same way. */

/** The assignment rule of an experiment, in the SDK's terms. */
export interface Rule {
  /** `exp-<experiment id>`, which is also the seed of the hash that assigns variations. */
  key: string;
  /** The bucket range of each variation. */
  ranges: VariationRange[];
  /**
   * Selects the experiment's visitors by a hash that all experiments in the exclusion group share. If absent, all
   * visitors are selected.
   */
  exclusion?: Filter;
  /**
   * Selects the participants among the eligible visitors, by a hash with its own seed. If absent, all eligible visitors
   * take part.
   */
  filters?: Filter[];
  /** The id of each variation; null for the empty control in front of an experiment's only variation. */
  variations: (number | null)[];
  /** The condition that eligible visitors meet; if absent, everyone is eligible. */
  condition?: ConditionInterface;
  /** Derives additional attributes that the condition needs. */
  derive?: (attributes: Attributes) => Attributes;
}

export type Attributes = Record<string, unknown>;

/** The result for a visitor: the id of a variation and how it was assigned, or the reason why there is none. */
export type Assignment =
  | { variation: number; reason: 'assigned' | 'kept' }
  | { variation: null; reason: 'excluded' | 'audience' | 'traffic' };

export const HASH_ATTRIBUTE = 'id';
export const HASH_VERSION = 2;
const EVERYBODY: VariationRange = [0, 1];
const NOBODY: VariationRange = [0, 0];
const client = new GrowthBookClient();

/** A visitor in the form that rules need, prepared once for all rules. */
export interface Subject {
  /** The visitor id: 1 to 64 printable ASCII characters. */
  id: string;
  /** The attributes after truncation by `comparable`. */
  attributes: Attributes;
  /** The attributes and the id. */
  known: Attributes;
  /** Whether the visitor meets each condition. Experiments with the same audiences share a condition. */
  eligible: Map<ConditionInterface, boolean>;
}

export function subjectOf(visitorId: string, given: Attributes): Subject {
  const attributes = comparable(given);
  const known = { ...attributes, [HASH_ATTRIBUTE]: visitorId };
  return { id: visitorId, attributes, known, eligible: new Map() };
}

/**
 * Decides which variation a visitor sees. Visitors that the exclusion group assigns to other experiments never take
 * part.
 * @param kept the id of the variation that the visitor was assigned earlier. As long as that variation exists, the
 * visitor keeps it, even if the audience or the traffic no longer includes the visitor
 */
export function assign(rule: Rule, subject: Subject, kept?: number): Assignment {
  const { key, ranges, exclusion, filters, variations } = rule;
  if (exclusion !== undefined && !passes(exclusion, subject)) {
    return { variation: null, reason: 'excluded' };
  }
  if (kept !== undefined && variations.includes(kept)) {
    return { variation: kept, reason: 'kept' };
  }
  if (!isEligible(rule, subject)) {
    return { variation: null, reason: 'audience' };
  }
  const { inExperiment, variationId } = draw({ key, ranges, filters, variations }, subject);
  const variation = inExperiment ? variations[variationId] : null;
  return variation === null ? { variation, reason: 'traffic' } : { variation, reason: 'assigned' };
}

/**
 * The SDK has no function for testing a single filter, so the filter is tested as part of an experiment that includes
 * every visitor who passes it.
 */
const passes = (filter: Filter, subject: Subject): boolean =>
  draw({ key: filter.seed, ranges: [EVERYBODY, NOBODY], filters: [filter], variations: [1, null] }, subject)
    .inExperiment;

const draw = ({ key, ranges, filters, variations }: Rule, { id }: Subject) =>
  client.runInlineExperiment(
    {
      key,
      seed: key,
      hashAttribute: HASH_ATTRIBUTE,
      hashVersion: HASH_VERSION,
      ranges,
      filters,
      variations: variations as [number | null, number | null],
    },
    // Passes only the id, because the SDK copies the attributes and needs no other attribute.
    { attributes: { [HASH_ATTRIBUTE]: id } },
  );

function isEligible(rule: Rule, subject: Subject): boolean {
  const { condition } = rule;
  if (condition === undefined) {
    return true;
  }
  const answer = subject.eligible.get(condition) ?? evalCondition(knownTo(rule, subject), condition);
  subject.eligible.set(condition, answer);
  return answer;
}

/**
 * The attributes for a rule's condition. They inherit the visitor's attributes, and the evaluator treats inherited
 * attributes like the object's own.
 */
function knownTo({ derive }: Rule, { known }: Subject): Attributes {
  return derive === undefined ? known : Object.assign(Object.create(known) as Attributes, derive(known));
}
