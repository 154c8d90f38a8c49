import type { ConditionTree } from '../../../resources/audiences/condition-tree';
import { isObject } from '../../../common/validation/values';
import { type Json, NoEquivalent, objectsIn, parsed, textIn } from '../export-values';
import { ImportPlan, UnreadableExport } from '../import-plan';
import { savedGroupOf } from './conditions';
import { addExperiment } from './experiments';
import { addFeatures, addPayload, linkedFeatures } from './features';
import { addMetric } from './metrics';

const EXPECTED =
  'Expected responses of the REST API of GrowthBook with experiments, features, metrics or savedGroups, or an SDK payload with features.';

/**
 * Reads exports of GrowthBook: lists of its REST API (`/api/v1/experiments`, `features`, `metrics`, `saved-groups`) and
 * payloads of SDK connections (`/api/features/{key}`). They complete each other.
 * @see https://docs.growthbook.io/api
 */
export function readGrowthBook(documents: readonly Json[]): ImportPlan {
  const plan = new ImportPlan();
  if (documents.some((document) => 'encryptedFeatures' in document || 'encryptedExperiments' in document)) {
    throw new UnreadableExport(
      'The payload is encrypted. Take it from an SDK connection without encryption.',
    );
  }
  const known = ['experiments', 'features', 'metrics', 'factMetrics', 'savedGroups'];
  if (!documents.every((document) => known.some((field) => field in document))) {
    throw new UnreadableExport(EXPECTED);
  }
  const groups = addSavedGroups(plan, documents);
  const metrics = addMetrics(plan, documents);
  const features = documents.flatMap((document) => objectsIn(document.features));
  const context = { groups, metrics, features: linkedFeatures(plan, features) };
  for (const experiment of documents.flatMap((document) => objectsIn(document.experiments))) {
    plan.attempt('experiment', textIn(experiment, 'name', 'id', 'key'), () => {
      requireNoChanges(experiment);
      addExperiment(plan, experiment, context);
    });
  }
  addFeatures(plan, features, groups);
  for (const { features: payload } of documents) {
    if (isObject(payload)) {
      addPayload(plan, payload, groups);
    }
  }
  return plan;
}

/** Experiments of an SDK payload change pages; those of the REST API have phases. */
function requireNoChanges(experiment: Json): void {
  if (!('phases' in experiment) && ('urlPatterns' in experiment || 'changeId' in experiment)) {
    throw new NoEquivalent(
      'It is an experiment of the visual editor or a URL redirect. Write its changes as code.',
    );
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

/** The goals of metrics, by metric id. */
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
