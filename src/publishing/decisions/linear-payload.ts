import type { AutoExperiment, ConditionInterface, FeatureDefinition } from '@growthbook/growthbook';
import { matchesNormalized } from '../../resources/pages/page-matching';
import { experimentKey } from '../build/bucketing';
import type { Payload } from '../build/payload';
import { askedIn, picked } from '../asked-attributes';
import { comparable } from '../comparable';
import { Attributes, HASH_ATTRIBUTE } from '../evaluation';
import { LinearConditions } from '../linear-conditions';
import type { DecidableExperiment, Published } from '../published';

/* A payload for the SDK evaluator on the server: without patterns, which it would match in exponential time. */

interface LinearPayload {
  features: Record<string, FeatureDefinition>;
  experiments: AutoExperiment[];
  derive: (attributes: Attributes) => Attributes;
  /** Names of the relevant attributes. */
  asked: readonly string[];
}

/** Payloads are immutable, so each is rewritten once. */
const rewritten = new WeakMap<Payload, LinearPayload>();

function linearPayload(payload: Payload): LinearPayload {
  const known = rewritten.get(payload);
  if (known !== undefined) {
    return known;
  }
  const conditions = new LinearConditions();
  const linear = <T extends Pick<AutoExperiment, 'condition'>>(rule: T): T =>
    rule.condition === undefined ? rule : { ...rule, condition: conditions.rewrite(rule.condition) };
  const features = Object.entries(payload.features).map(([name, feature]): [string, FeatureDefinition] => [
    name,
    { ...feature, rules: feature.rules?.map(linear) },
  ]);
  const made = {
    features: Object.fromEntries(features),
    experiments: payload.experiments.map(({ urlPatterns: _, ...experiment }) => linear(experiment)),
    derive: conditions.derive,
    asked: [HASH_ATTRIBUTE, ...askedIn(conditionsOf(payload))],
  };
  rewritten.set(payload, made);
  return made;
}

const conditionsOf = ({ features, experiments }: Payload): (ConditionInterface | undefined)[] =>
  [...Object.values(features).flatMap(({ rules = [] }) => rules), ...experiments].map(
    ({ condition }) => condition,
  );

/** The part of a payload to evaluate for one visitor, and how to restore it for browsers. */
export interface VisitorsPayload {
  payload: Payload;
  attributes: Attributes;
  /** An evaluated experiment in the form for browsers. */
  restore: (evaluated: AutoExperiment) => AutoExperiment;
}

/**
 * The part of a payload that concerns a visitor.
 * @param url of the visitor's page; without it, experiments with pages do not run
 */
export function payloadForVisitor(
  { experiments }: Pick<Published, 'experiments'>,
  payload: Payload,
  given: Attributes,
  url: string,
): VisitorsPayload {
  const { features, experiments: linear, derive, asked } = linearPayload(payload);
  const targets = new Map(payload.experiments.map(({ key, urlPatterns }) => [key, urlPatterns]));
  const pages = new Map(experiments.map((each) => [experimentKey(each.id), each.pages]));
  const here = URL.canParse(url, ANYWHERE) ? new URL(url, ANYWHERE).href : null;
  const isHere = ({ key }: AutoExperiment): boolean =>
    targets.get(key) === undefined || (here !== null && isOnPage(pages.get(key) ?? [], here));
  const attributes = comparable(picked(given, asked));
  return {
    payload: { features, experiments: linear.filter(isHere) },
    attributes: { ...attributes, ...derive(attributes) },
    restore: (evaluated) => {
      const urlPatterns = targets.get(evaluated.key);
      return urlPatterns === undefined ? evaluated : { ...evaluated, urlPatterns };
    },
  };
}

/** The SDK reads a relative URL as a path of this site. */
const ANYWHERE = 'https://_';

const isOnPage = (pages: DecidableExperiment['pages'], address: string): boolean =>
  pages.some(({ matcher }) => matchesNormalized(matcher, address));
