import { evalCondition, GrowthBookClient } from '@growthbook/growthbook';
import type { ConditionInterface, Filter, VariationRange } from '@growthbook/growthbook';
import { comparable } from './comparable';

/* The only evaluator: the snippet, `/v1/decide` and OFREP all decide here, and SDKs do the same with the payload. */

/** The assignment rule of an experiment, in the terms of the SDK. */
export interface Rule {
  /** `exp-<experiment id>`, also the seed that assigns visitors. */
  key: string;
  /** The bucket range of each variation. */
  ranges: VariationRange[];
  /** The visitors of its exclusion group, by a hash that the experiments of the group share; all if absent. */
  exclusion?: Filter;
  /** The participants among the eligible visitors, by a hash with its own seed; all if absent. */
  filters?: Filter[];
  /** The id of each variation; null for the empty control in front of the only variation of an experiment. */
  variations: (number | null)[];
  /** The eligible visitors; everyone if absent. */
  condition?: ConditionInterface;
  /** Derives further attributes that the condition needs. */
  derive?: (attributes: Attributes) => Attributes;
}

export type Attributes = Record<string, unknown>;

/** The evaluation for a visitor: the id of a variation and how it was assigned, or why there is none. */
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
  /** 1 to 64 printable ASCII characters. */
  id: string;
  /** See `comparable`. */
  attributes: Attributes;
  /** The attributes, with the id. */
  known: Attributes;
  /** The results of conditions for the visitor. Experiments with the same audiences share a condition. */
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
 * @param kept the id of the variation that the visitor was assigned earlier. It is kept regardless of the rest of the
 * rule, as long as the variation exists
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
 * The SDK has no function for a single filter, so the filter is tested with an experiment that includes everyone
 * else.
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
    // The SDK copies the attributes, and needs only the id.
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

/** The attributes for the condition of a rule. Inherited attributes count like own ones. */
function knownTo({ derive }: Rule, { known }: Subject): Attributes {
  return derive === undefined ? known : Object.assign(Object.create(known) as Attributes, derive(known));
}
