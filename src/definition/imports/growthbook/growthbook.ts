import type { ConditionTree } from '../../../resources/audiences/condition-tree';
import { isObject } from '../../../common/validation/values';
import { type Json, NoEquivalent, numberIn, objectsIn, parsed, textIn } from '../export-values';
import { type ImportedKind, ImportPlan, UnreadableExport } from '../import-plan';
import { savedGroupOf } from './conditions';
import { addExperiment, trackingKeyOf } from './experiments';
import { addFeatures, addPayload, dependentExperiments, linkedFeatures } from './features';
import { addMetric } from './metrics';

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
  listMissingPages(plan, documents);
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
  const trackingKeys = new Set(experiments.filter(hasPhases).map(trackingKeyOf));
  for (const { features: payload } of documents) {
    if (isObject(payload)) {
      addPayload(plan, payload, { groups, experiments: trackingKeys });
    }
  }
  return plan;
}

/** The lists in responses of the REST API. */
const LISTS: Readonly<Record<string, ImportedKind>> = {
  experiments: 'experiment',
  features: 'feature',
  metrics: 'goal',
  factMetrics: 'goal',
  savedGroups: 'audience',
};

/** Reports lists whose pages are not all in the files. Responses contain the total of all pages. */
function listMissingPages(plan: ImportPlan, documents: readonly Json[]): void {
  const lists = Object.keys(LISTS);
  const responses = documents.filter(
    (document) => lists.filter((field) => Array.isArray(document[field])).length === 1,
  );
  for (const [field, kind] of Object.entries(LISTS)) {
    const pages = responses.filter((document) => Array.isArray(document[field]));
    const records = documents.flatMap((document) => objectsIn(document[field]));
    // Experiments in SDK payloads have no id, and are not part of a list.
    const ids = new Set(records.map((record) => textIn(record, 'id')).filter((id) => id !== ''));
    const total = Math.max(0, ...pages.map((page) => numberIn(page, 'total', 0)));
    const hasMore =
      pages.some((page) => page.hasMore === true) && pages.every((page) => page.hasMore !== false);
    if (total > ids.size || (total === 0 && hasMore)) {
      const missing = total === 0 ? `Further ${field}` : `${total - ids.size} of ${total} ${field}`;
      plan.skip(
        kind,
        '(further pages)',
        `${missing} are not in the files. Save each page of the list in a separate file.`,
      );
    }
  }
}

/** Whether an experiment is from the REST API. Experiments in SDK payloads have no phases. */
const hasPhases = (experiment: Json): boolean => 'phases' in experiment;

/** Rejects experiments in an SDK payload, which change pages. */
function requireNoChanges(experiment: Json): void {
  if (!hasPhases(experiment)) {
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
