import type { ConditionTree } from '../../../resources/audiences/condition-tree';
import {
  bandit,
  type Json,
  NoEquivalent,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  textOrNullIn,
  textsIn,
} from '../export-values';
import {
  apiNameOf,
  type Exclusion,
  ImportPlan,
  percent,
  sharesOf,
  targetingName,
  variationApiNames,
} from '../import-plan';
import { type Measured, measuredBy } from './analysis';
import type { SavedGroups } from './conditions';
import { dependsOnFeature, targetingOf } from './targeting';

/** The smallest difference between weights in GrowthBook's editor, where equal weights are 0.3334, 0.3333, 0.3333. */
const SMALLEST_WEIGHT = 0.0001;

/** Other content from the export files: goals by metric id, conditions by saved group, features by experiment id. */
export interface Context {
  metrics: ReadonlyMap<string, string>;
  groups: SavedGroups;
  features: ReadonlyMap<string, LinkedFeature>;
  /** The ids of the experiments whose features depend on other features. */
  dependent: ReadonlySet<string>;
}

/** A feature whose value is determined by an experiment. */
export interface LinkedFeature {
  key: string;
  valueType: string;
  /** By variation id. */
  values: ReadonlyMap<string, string>;
}

/** A variation of an experiment, in any export format. */
export interface Arm {
  key: string;
  name: string;
  description: string;
  weight: number | null;
}

/** An experiment, in any export format. */
export interface Found {
  key: string;
  name: string;
  description: string | null;
  hypothesis: string | null;
  tags: string[];
  coverage: number;
  arms: readonly Arm[];
  conditions: ConditionTree | null;
  measured: Measured;
  hashAttribute: string;
  fallbackAttribute: string;
  namespace: Namespace | 'other' | null;
}

/** A namespace, whose experiments exclude each other. */
export interface Namespace {
  name: string;
  /** The start and end of the experiment's range of visitors, 0 to 1. */
  range: unknown;
}

/** Adds an experiment of the REST API. @throws NoEquivalent */
export function addExperiment(plan: ImportPlan, experiment: Json, context: Context): void {
  const name = textIn(experiment, 'name', 'id');
  requireTestable(experiment);
  const id = textIn(experiment, 'id');
  if (context.dependent.has(id)) {
    throw dependsOnFeature();
  }
  const feature = context.features.get(id);
  const phase = objectsIn(experiment.phases).at(-1) ?? {};
  const variations = objectsIn(experiment.variations);
  const weights = weightsOf(phase, variations);
  if (experiment.status === 'running') {
    plan.skip(
      'experiment',
      name,
      'It is running. Finish it in GrowthBook; the imported experiment is a draft.',
      'status',
    );
  }
  if (experiment.hasVisualChangesets === true || experiment.hasURLRedirects === true) {
    plan.skip('experiment', name, 'Write them as code.', 'visual editor changes or URL redirects');
  }
  addFound(plan, {
    key: feature?.key ?? trackingKeyOf(experiment),
    name,
    description: textOrNullIn(experiment, 'description'),
    hypothesis: textOrNullIn(experiment, 'hypothesis'),
    tags: textsIn(experiment.tags),
    coverage: numberIn(phase, 'coverage', 1),
    arms: variations.map((variation, index) => {
      return {
        key: keyOf(feature, idOf(variation, index)) ?? textIn(variation, 'key', 'name'),
        name: textIn(variation, 'name', 'key') || `Variation ${index}`,
        description: textIn(variation, 'description'),
        weight: weights[index] ?? null,
      };
    }),
    conditions: targetingOf(phase, 'targetingCondition', context.groups),
    measured: measuredBy(plan, name, objectIn(experiment, 'settings'), context.metrics),
    hashAttribute: textIn(experiment, 'hashAttribute') || 'id',
    fallbackAttribute: textIn(experiment, 'fallbackAttribute'),
    namespace: namespaceOf(objectIn(phase, 'namespace'), 'namespaceId'),
  });
}

/** The key of an experiment of the REST API in SDK payloads and exposures. */
export const trackingKeyOf = (experiment: Json): string => textIn(experiment, 'trackingKey', 'id');

function requireTestable({ archived, status, type }: Json): void {
  if (archived === true || status === 'stopped') {
    throw new NoEquivalent('It has ended. Its results stay in GrowthBook.');
  }
  if (type === 'multi-armed-bandit') {
    throw bandit();
  }
}

const idOf = (variation: Json, index: number): string =>
  textIn(variation, 'variationId', 'key') || String(index);

/**
 * The weights of a phase's variations; empty if the phase has none, because they are then equal.
 * @throws NoEquivalent if the weights belong to other variations
 */
function weightsOf(phase: Json, variations: readonly Json[]): number[] {
  const split = objectsIn(phase.trafficSplit);
  const ids = variations.map(idOf);
  const shares = new Map(split.map((each) => [textIn(each, 'variationId'), numberIn(each, 'weight', NaN)]));
  const unknown = [...shares.keys()].filter((id) => !ids.includes(id));
  const missing = ids.filter((id) => Number.isNaN(shares.get(id) ?? NaN));
  if (split.length > 0 && (unknown.length > 0 || missing.length > 0)) {
    const part =
      missing.length > 0 ? `no weight for ${missing.join(', ')}` : `a weight for ${unknown.join(', ')}`;
    throw new NoEquivalent(`Its traffic split has ${part}, but its variations are ${ids.join(', ')}.`);
  }
  return split.length === 0 ? [] : ids.map((id) => shares.get(id) ?? 0);
}

/**
 * The key that SDKs get for a variation: the value of the linked feature, if it is a string. SDKs get keys as strings,
 * and an application would not expect a string in place of a different type of value.
 */
const keyOf = (feature: LinkedFeature | undefined, id: string): string | undefined =>
  feature?.valueType === 'string' ? feature.values.get(id) : undefined;

/** Adds an experiment with its audience. @throws NoEquivalent */
export function addFound(plan: ImportPlan, found: Found): void {
  const { key, name, arms, conditions, coverage } = found;
  if (arms.length === 0) {
    throw new NoEquivalent('It has no variations.');
  }
  const traffic = percent(coverage, 'coverage');
  const shares = arms.some(({ weight }) => weight === null)
    ? arms.map(() => null)
    : sharesOf(
        arms.map(({ weight }) => weight ?? 0),
        SMALLEST_WEIGHT,
      );
  const apiNames = variationApiNames(arms.map((arm) => arm.key));
  const audience = conditions === null ? null : { name: targetingName(name), conditions };
  const experiment = {
    api_name: apiNameOf(plan, 'experiment', key),
    name,
    description: found.description,
    hypothesis: found.hypothesis,
    tags: found.tags,
    traffic_allocation: traffic,
    variations: arms.map((arm, index) => ({
      name: arm.name,
      api_name: apiNames[index] ?? '',
      ...(arm.description !== '' && { description: arm.description }),
      traffic_allocation: shares[index] ?? null,
    })),
    audiences_match_type: 'any' as const,
    audiences: audience === null ? [] : [audience.name],
    ...found.measured,
    exclusion: exclusionOf(plan, found),
  };
  plan.addExperiment(experiment, audience);
  noteParts(plan, found, apiNames);
}

/** The namespace of a phase or rule, if it has one. @param field the field with the namespace's name */
export function namespaceOf(namespace: Json, field: string): Namespace | null {
  const name = textIn(namespace, field);
  return name === '' || namespace.enabled === false ? null : { name, range: namespace.range };
}

/** Converts a namespace to an exclusion group, and the experiment's range to its share. */
function exclusionOf(plan: ImportPlan, { name, namespace }: Found): Exclusion | null {
  if (namespace === null) {
    return null;
  }
  if (namespace === 'other') {
    plan.skip(
      'experiment',
      name,
      'It can now overlap with other experiments that used the same filters.',
      'filters',
    );
    return null;
  }
  const [start, end] = (Array.isArray(namespace.range) ? namespace.range : []) as unknown[];
  const share = typeof start === 'number' && typeof end === 'number' ? end - start : NaN;
  return plan.exclusionOf(name, namespace.name, share, 'namespace');
}

function noteParts(
  plan: ImportPlan,
  { name, arms, hashAttribute, fallbackAttribute }: Found,
  apiNames: readonly string[],
): void {
  if (hashAttribute !== 'id') {
    const reason = `Visitors are assigned by their id. Send ${hashAttribute} as the visitor's id.`;
    plan.skip('experiment', name, reason, `hash attribute ${hashAttribute}`);
  }
  if (fallbackAttribute !== '') {
    const reason = 'Visitors are assigned only by their id.';
    plan.skip('experiment', name, reason, `fallback attribute ${fallbackAttribute}`);
  }
  const changed = arms
    .filter(({ key }, index) => key !== apiNames[index])
    .map(({ key }) => JSON.stringify(key));
  if (changed.length > 0) {
    const reason =
      'API names of variations must differ, and can contain only lower-case letters, digits, hyphens and underscores.';
    plan.skip('experiment', name, reason, `variation keys ${changed.join(', ')}`);
  }
}
