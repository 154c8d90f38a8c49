import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../common/validation/values';
import {
  type Json,
  NoEquivalent,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  textOrNullIn,
  textsIn,
} from '../export-values';
import { ImportPlan } from '../import-plan';
import type { SavedGroups } from './conditions';
import { addFound, Arm, LinkedFeature, type Namespace, namespaceOf } from './experiments';
import { hasPrerequisites, requireNoPrerequisites, targetingOf } from './targeting';

/** A feature in the REST API, with its rules in all environments. */
interface Feature {
  key: string;
  valueType: string;
  /** The rules in enabled environments. */
  rules: readonly Json[];
  /** Rules that only disabled environments have. */
  unserved: readonly Json[];
  record: Json;
}

/** Reads a feature's rules. Version 2 of the API stores the rules in the feature, version 1 in each environment. */
function readFeature(record: Json): Feature {
  const environments = objectIn(record, 'environments');
  const names = Object.keys(environments);
  const isOn = (name: string): boolean => objectIn(environments, name).enabled !== false;
  const ofRule = ({ environments: list, allEnvironments }: Json): string[] | null =>
    allEnvironments !== true && Array.isArray(list) ? textsIn(list) : names.length > 0 ? names : null;
  const all = [
    ...objectsIn(record.rules).map((rule) => ({ rule, isServed: ofRule(rule)?.some(isOn) ?? true })),
    ...names.flatMap((name) =>
      objectsIn(objectIn(environments, name).rules).map((rule) => ({ rule, isServed: isOn(name) })),
    ),
  ];
  const rules = all.filter(({ isServed }) => isServed).map(({ rule }) => rule);
  const contents = rules.map(contentOf);
  const unserved = all
    .filter(
      ({ isServed, rule }) => !isServed && !contents.some((each) => isDeepStrictEqual(each, contentOf(rule))),
    )
    .map(({ rule }) => rule);
  return { key: textIn(record, 'id'), valueType: textIn(record, 'valueType'), rules, unserved, record };
}

const isEnabled = ({ enabled }: Json): boolean => enabled !== false;

const isExperiment = (rule: Json): boolean => rule.type === 'experiment' || rule.type === 'experiment-ref';

const referring = ({ rules }: Feature): Json[] =>
  rules.filter((rule) => rule.type === 'experiment-ref' && isEnabled(rule));

/** The values that a rule gives the variations of its experiment, by variation id. */
const valuesOf = (rule: Json): ReadonlyMap<string, string> =>
  new Map(objectsIn(rule.variations).map((each) => [textIn(each, 'variationId'), textIn(each, 'value')]));

/**
 * Features in the REST API, by the experiment that determines their value. Archived features are not served. Reports
 * ambiguous features.
 */
export function linkedFeatures(
  plan: ImportPlan,
  records: readonly Json[],
): ReadonlyMap<string, LinkedFeature> {
  const linked = new Map<string, LinkedFeature>();
  for (const feature of records.map(readFeature)) {
    const { key, valueType, record } = feature;
    const rules = record.archived === true ? [] : referring(feature);
    const ids = [...new Set(rules.map((rule) => textIn(rule, 'experimentId')))];
    const [id] = ids;
    if (id === undefined) {
      continue;
    }
    if (ids.length > 1 || linked.has(id)) {
      plan.skip(
        'feature',
        key,
        'Several experiments or features are linked. In Gosset, an experiment has one key.',
      );
      continue;
    }
    const [values, ...others] = rules.map(valuesOf);
    if (values === undefined || others.some((each) => !isDeepStrictEqual(each, values))) {
      const reason =
        'Its rules give the variations different values. The experiment keeps the keys of its own variations.';
      plan.skip('feature', key, reason);
      continue;
    }
    noteValues(plan, key, valueType === 'string');
    linked.set(id, { key, valueType, values });
  }
  return linked;
}

/** The ids of the experiments that a feature with prerequisites refers to. Archived features are not served. */
export function dependentExperiments(records: readonly Json[]): ReadonlySet<string> {
  const dependent = records
    .map(readFeature)
    .filter(({ record }) => record.archived !== true && hasPrerequisites(record));
  return new Set(dependent.flatMap(referring).map((rule) => textIn(rule, 'experimentId')));
}

/** Reports values that are not strings, because SDKs get only strings. */
function noteValues(plan: ImportPlan, key: string, areTexts: boolean): void {
  if (!areTexts) {
    const reason = 'SDKs get the API name of the variation, which is a string.';
    plan.skip('feature', key, reason, 'values of variations');
  }
}

/** Other content from the export files. */
interface Context {
  /** Conditions by saved group. */
  groups: SavedGroups;
  /** The experiments of the REST API: their ids for features of the REST API, their tracking keys for payloads. */
  experiments: ReadonlySet<string>;
}

/** Adds the experiments in feature rules of the REST API, and reports all other rules. */
export function addFeatures(plan: ImportPlan, records: readonly Json[], context: Context): void {
  for (const feature of records.map(readFeature)) {
    plan.attempt('feature', feature.key, () => addFeature(plan, feature, context));
  }
}

function addFeature(plan: ImportPlan, feature: Feature, { groups, experiments }: Context): void {
  const { key, record } = feature;
  if (record.archived === true) {
    throw new NoEquivalent('It is archived.');
  }
  const inline = feature.rules.filter((rule) => rule.type === 'experiment' && isEnabled(rule));
  if (inline.length === 0 && referring(feature).length === 0) {
    throw new NoEquivalent(
      feature.unserved.some(isExperiment)
        ? 'The environments with its experiment are disabled.'
        : 'It is a flag without an experiment.',
    );
  }
  listOtherRules(plan, feature);
  listUnknownExperiments(plan, feature, experiments);
  const [rule] = inline;
  if (rule === undefined) {
    return;
  }
  if (inline.some((each) => !isDeepStrictEqual(contentOf(each), contentOf(rule)))) {
    throw new NoEquivalent('It has several experiments, or different ones in different environments.');
  }
  requireNoPrerequisites(record);
  addFound(plan, {
    key,
    name: textIn(rule, 'description') || key,
    description: textOrNullIn(record, 'description'),
    hypothesis: null,
    tags: textsIn(record.tags),
    coverage: numberIn(rule, 'coverage', 1),
    arms: objectsIn(rule.value).map((each, index) => ({
      key: textIn(each, 'value') || `v${index}`,
      name: textIn(each, 'name', 'value') || `Variation ${index}`,
      description: '',
      weight: numberIn(each, 'weight', 0),
    })),
    conditions: targetingOf(rule, 'condition', groups),
    measured: { goals: [], guardrails: [] },
    hashAttribute: textIn(rule, 'hashAttribute') || 'id',
    fallbackAttribute: textIn(rule, 'fallbackAttribute'),
    namespace: namespaceOf(objectIn(rule, 'namespace'), 'name'),
  });
  noteValues(plan, key, feature.valueType === 'string');
}

/** A rule without the fields that differ between environments. */
const contentOf = ({ id: _id, environments: _environments, ...content }: Json): Json => content;

function listOtherRules(plan: ImportPlan, { key, rules, unserved }: Feature): void {
  const others = rules.filter((rule) => !isExperiment(rule));
  for (const type of new Set(others.map((rule) => textIn(rule, 'type')))) {
    plan.skip('feature', key, 'Gosset has no rules without an experiment.', `${type} rules`);
  }
  if (unserved.length > 0) {
    plan.skip(
      'feature',
      key,
      'Only disabled environments have these rules.',
      'rules of disabled environments',
    );
  }
  if (rules.some((rule) => isExperiment(rule) && isEnabled(rule) && isScheduled(rule))) {
    plan.skip('feature', key, 'Set starts_at and ends_at of the experiment.', 'schedule');
  }
}

const isScheduled = (rule: Json): boolean =>
  textIn(rule, 'scheduleType') === 'ramp' ||
  objectsIn(rule.scheduleRules).some((each) => textIn(each, 'timestamp') !== '');

function listUnknownExperiments(plan: ImportPlan, feature: Feature, known: ReadonlySet<string>): void {
  const ids = new Set(referring(feature).map((rule) => textIn(rule, 'experimentId')));
  for (const id of [...ids].filter((each) => !known.has(each))) {
    plan.skip('feature', feature.key, 'The files contain no experiment with this id.', `experiment ${id}`);
  }
}

/**
 * Adds the experiments of an SDK payload, except those that the REST API describes. A payload has neither their status,
 * type and metrics, nor the rules of other environments.
 */
export function addPayload(plan: ImportPlan, features: Json, context: Context): void {
  for (const [key, feature] of Object.entries(features)) {
    plan.attempt('feature', key, () =>
      addPayloadFeature(plan, key, isObject(feature) ? feature : {}, context),
    );
  }
}

/** Whether a rule requires values of other features for the rules below it. */
const isGate = ({ parentConditions }: Json): boolean =>
  objectsIn(parentConditions).some(({ gate }) => gate === true);

function addPayloadFeature(plan: ImportPlan, key: string, feature: Json, context: Context): void {
  const rules = objectsIn(feature.rules);
  // SDKs ignore the variations of a rule that forces a value.
  const tests = rules.filter((rule) => Array.isArray(rule.variations) && !('force' in rule));
  const [rule] = tests;
  if (rule === undefined) {
    throw new NoEquivalent('It is a flag without an experiment.');
  }
  if (tests.length > 1) {
    throw new NoEquivalent('It has several experiments. In Gosset, an experiment has one key.');
  }
  const trackingKey = textIn(rule, 'key') || key;
  if (context.experiments.has(trackingKey)) {
    throw new NoEquivalent(
      `The files contain its experiment ${trackingKey} from the REST API, which takes precedence.`,
    );
  }
  // In payloads, the prerequisites of the feature are separate rules.
  rules.filter(isGate).forEach(requireNoPrerequisites);
  if (rules.length > tests.length) {
    plan.skip('feature', key, 'Gosset has no rules without an experiment.', 'rules without variations');
  }
  const { ranges, filters } = rule;
  if (ranges !== undefined) {
    throw new NoEquivalent(
      'Its buckets are given as ranges. Import weights and coverage from the REST API instead.',
    );
  }
  addFound(plan, {
    key,
    name: textIn(rule, 'name', 'key') || key,
    description: null,
    hypothesis: null,
    tags: [],
    coverage: numberIn(rule, 'coverage', 1),
    arms: armsOf(rule),
    conditions: targetingOf(rule, 'condition', context.groups),
    measured: { goals: [], guardrails: [] },
    hashAttribute: textIn(rule, 'hashAttribute') || 'id',
    fallbackAttribute: textIn(rule, 'fallbackAttribute'),
    namespace: filters === undefined ? payloadNamespaceOf(rule.namespace) : 'other',
  });
  noteValues(
    plan,
    key,
    (rule.variations as unknown[]).every((value) => typeof value === 'string'),
  );
}

/** The namespace of a rule in a payload: a list that contains the name and both ends of the range. */
function payloadNamespaceOf(namespace: unknown): Namespace | null {
  const [name, start, end] = (Array.isArray(namespace) ? namespace : []) as unknown[];
  return typeof name === 'string' ? { name, range: [start, end] } : null;
}

function armsOf(rule: Json): Arm[] {
  const [meta, weights] = [objectsIn(rule.meta), Array.isArray(rule.weights) ? rule.weights : []];
  return (rule.variations as unknown[]).map((value, index) => ({
    key: typeof value === 'string' && value !== '' ? value : textIn(meta[index] ?? {}, 'key') || `v${index}`,
    name:
      textIn(meta[index] ?? {}, 'name', 'key') ||
      (typeof value === 'string' && value) ||
      `Variation ${index}`,
    description: '',
    weight: typeof weights[index] === 'number' ? weights[index] : null,
  }));
}
