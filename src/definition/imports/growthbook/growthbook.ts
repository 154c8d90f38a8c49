import { apiNameFrom } from '../../../common/text/names';
import type { ConditionTree } from '../../../resources/audiences/condition-tree';
import { isObject } from '../../../common/validation/values';
import {
  type Json,
  NoEquivalent,
  numberIn,
  objectIn,
  objectsIn,
  parsed,
  textIn,
  textOrNullIn,
} from '../export-values';
import { ImportPlan, PlannedGoal, UnreadableExport } from '../import-plan';
import { savedGroupOf } from './conditions';
import { addExperiment } from './experiments';
import { addFeatures, addPayload, dependentExperiments, linkedFeatures } from './features';

type Measure = Pick<PlannedGoal, 'counting' | 'value_type'>;

const MEASURES: Readonly<Record<string, Measure>> = {
  binomial: { counting: 'unique', value_type: 'none' },
  count: { counting: 'every', value_type: 'none' },
  duration: { counting: 'unique', value_type: 'number' },
  revenue: { counting: 'unique', value_type: 'revenue' },
};

/** Hours per unit of conversion windows. */
const HOURS: Readonly<Record<string, number>> = { hours: 1, days: 24, weeks: 168 };

/** Adds the goal for a metric. @returns its api_name @throws NoEquivalent */
export function addMetric(plan: ImportPlan, metric: Json): string {
  if (metric.archived === true) {
    throw new NoEquivalent('It is archived.');
  }
  const name = textIn(metric, 'name', 'id');
  const behavior = objectIn(metric, 'behavior');
  const type = textIn(metric, 'type');
  const measure = MEASURES[type];
  if (measure === undefined) {
    throw new NoEquivalent(
      type === '' ? 'Goals cannot measure fact metrics.' : `Goals cannot measure the metric type ${type}.`,
    );
  }
  const goal: PlannedGoal = {
    name,
    api_name: apiNameFrom(name, 'goal'),
    description: textOrNullIn(metric, 'description'),
    type: 'custom',
    ...measure,
    direction: behavior.goal === 'decrease' ? 'decrease' : 'increase',
    ...capOf(plan, name, measure, objectIn(behavior, 'cappingSettings')),
    ...windowOf(plan, name, objectIn(behavior, 'windowSettings')),
  };
  plan.addGoal(goal);
  return goal.api_name;
}

function capOf(plan: ImportPlan, name: string, { value_type }: Measure, capping: Json): object {
  const type = textIn(capping, 'type') || 'none';
  const cap = numberIn(capping, 'value', 0);
  if (type === 'none') {
    return {};
  }
  if (type !== 'absolute' || value_type === 'none' || cap <= 0) {
    plan.skip('goal', name, 'A cap must be absolute, and the goal must have values.', `capping (${type})`);
    return {};
  }
  return { value_cap: cap };
}

function windowOf(plan: ImportPlan, name: string, window: Json): object {
  const type = textIn(window, 'type') || 'none';
  if (type === 'none') {
    return {};
  }
  const days = (numberIn(window, 'windowValue', 0) * (HOURS[textIn(window, 'windowUnit')] ?? 0)) / 24;
  if (
    type !== 'conversion' ||
    numberIn(window, 'delayValue', 0) !== 0 ||
    !Number.isInteger(days) ||
    days < 1
  ) {
    const reason = 'A conversion window must be a number of whole days, without a delay.';
    plan.skip('goal', name, reason, `window (${type})`);
    return {};
  }
  return { conversion_window_days: days };
}

const EXPECTED =
  'Expected responses of the GrowthBook REST API with experiments, features, metrics or savedGroups, or an SDK payload with features.';

/**
 * Reads GrowthBook exports: lists from its REST API (`/api/v1/experiments`, `features`, `metrics`, `saved-groups`) and
 * payloads for SDK connections (`/api/features/{key}`). The two kinds complement each other.
 * @see https://docs.growthbook.io/api
 */
export function readGrowthBook(documents: readonly Json[]): ImportPlan {
  const plan = new ImportPlan();
  if (documents.some((document) => 'encryptedFeatures' in document || 'encryptedExperiments' in document)) {
    throw new UnreadableExport(
      'The payload is encrypted. Use the payload of an SDK connection without encryption.',
    );
  }
  const known = ['experiments', 'features', 'metrics', 'factMetrics', 'savedGroups'];
  if (!documents.every((document) => known.some((field) => field in document))) {
    throw new UnreadableExport(EXPECTED);
  }
  const groups = addSavedGroups(plan, documents);
  const metrics = addMetrics(plan, documents);
  const features = documents.flatMap((document) => objectsIn(document.features));
  const context = {
    groups,
    metrics,
    features: linkedFeatures(plan, features),
    dependent: dependentExperiments(features),
  };
  const experiments = documents.flatMap((document) => objectsIn(document.experiments));
  for (const experiment of experiments) {
    plan.attempt('experiment', textIn(experiment, 'name', 'id', 'key'), () => {
      requireNoChanges(experiment);
      addExperiment(plan, experiment, context);
    });
  }
  const ids = new Set(experiments.map((experiment) => textIn(experiment, 'id')));
  addFeatures(plan, features, { groups, experiments: ids });
  for (const { features: payload } of documents) {
    if (isObject(payload)) {
      addPayload(plan, payload, groups);
    }
  }
  return plan;
}

/**
 * Rejects experiments in an SDK payload that change pages. Experiments from the REST API are recognised by their
 * phases.
 */
function requireNoChanges(experiment: Json): void {
  if (!('phases' in experiment) && ('urlPatterns' in experiment || 'changeId' in experiment)) {
    throw new NoEquivalent('It is a visual editor experiment or a URL redirect. Write its changes as code.');
  }
}

function addSavedGroups(plan: ImportPlan, documents: readonly Json[]): ReadonlyMap<string, ConditionTree> {
  const groups = new Map<string, ConditionTree>();
  for (const group of documents.flatMap((document) => objectsIn(document.savedGroups))) {
    const name = textIn(group, 'name', 'id');
    plan.attempt('audience', name, () => {
      const conditions = savedGroupOf(group, parsed(group.condition ?? {}));
      if (conditions === null) {
        throw new NoEquivalent('It has no condition.');
      }
      plan.addAudience({ name, conditions });
      groups.set(textIn(group, 'id'), conditions);
    });
  }
  return groups;
}

/** The goals created from metrics, by metric id. */
function addMetrics(plan: ImportPlan, documents: readonly Json[]): ReadonlyMap<string, string> {
  const goals = new Map<string, string>();
  const records = documents.flatMap(({ metrics, factMetrics }) => [
    ...objectsIn(metrics),
    ...objectsIn(factMetrics),
  ]);
  for (const metric of records) {
    plan.attempt('goal', textIn(metric, 'name', 'id'), () => {
      goals.set(textIn(metric, 'id'), addMetric(plan, metric));
    });
  }
  return goals;
}
