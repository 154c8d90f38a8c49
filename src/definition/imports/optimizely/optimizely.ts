import { isObject } from '../../../common/validation/values';
import {
  bandit,
  type Json,
  NoEquivalent,
  numberIn,
  objectIn,
  objectsIn,
  parsed,
  textIn,
  textOf,
  textsIn,
} from '../export-values';
import {
  apiNameOf,
  type Exclusion,
  ImportPlan,
  percent,
  PlannedAudience,
  sharesOf,
  targetingName,
  UnreadableExport,
  variationApiNames,
} from '../import-plan';
import { attributeOf, treeOf, withoutUnknown } from './conditions';

/** The number of buckets, which is also where the last range ends. */
const BUCKETS = 10_000;

/** A placeholder audience in datafiles, for SDKs that do not support typed audiences. */
const PLACEHOLDER = '$opt_dummy_audience';

const VERSIONS = ['2', '3', '4'];

type Audiences = ReadonlyMap<string, PlannedAudience>;

/**
 * Reads datafiles of Optimizely Feature Experimentation and Full Stack, versions 2 to 4.
 * @see https://docs.developers.optimizely.com/feature-experimentation/docs/example-datafile
 */
export function readOptimizely(documents: readonly Json[]): ImportPlan {
  const plan = new ImportPlan();
  for (const datafile of documents) {
    if (!VERSIONS.includes(textIn(datafile, 'version')) || !Array.isArray(datafile.experiments)) {
      throw new UnreadableExport(`Expected a datafile of version ${VERSIONS.join(', ')} with experiments.`);
    }
    addDatafile(plan, datafile);
  }
  return plan;
}

function addDatafile(plan: ImportPlan, datafile: Json): void {
  const audiences = addAudiences(plan, datafile);
  const goals = addEvents(plan, datafile);
  const groups = objectsIn(datafile.groups);
  const experiments = [datafile, ...groups].flatMap((each) =>
    objectsIn(each.experiments).map((experiment) => ({ experiment, group: each })),
  );
  const keys = new Map<string, ExperimentKey>();
  for (const { experiment, group } of experiments) {
    const [id, key] = [textIn(experiment, 'id'), textIn(experiment, 'key', 'id')];
    keys.set(id, { key, apiName: null });
    plan.attempt('experiment', key, () => {
      keys.set(id, { key, apiName: addExperiment(plan, experiment, group, { audiences, goals }) });
    });
  }
  listFlags(plan, datafile, keys);
  for (const holdout of objectsIn(datafile.holdouts)) {
    const reason = 'Gosset has no holdouts. Its visitors can take part in the experiments.';
    plan.skip('holdout', textIn(holdout, 'key', 'id'), reason);
  }
}

/** The key of an experiment in a datafile, and its api_name, which is null if the experiment has no equivalent. */
interface ExperimentKey {
  key: string;
  apiName: string | null;
}

/** Reports flags, and the rules of flags that are not experiments. */
function listFlags(plan: ImportPlan, datafile: Json, keys: ReadonlyMap<string, ExperimentKey>): void {
  const rollouts = new Map(objectsIn(datafile.rollouts).map((each) => [textIn(each, 'id'), each]));
  for (const flag of objectsIn(datafile.featureFlags)) {
    const name = textIn(flag, 'key', 'id');
    const tests = textsIn(flag.experimentIds).map((id) => keys.get(id) ?? { key: id, apiName: null });
    const taken = tests.flatMap(({ apiName }) => apiName ?? []);
    const left = tests.filter(({ apiName }) => apiName === null).map(({ key }) => key);
    const reasons = [
      ...(tests.length === 0 ? ['It is a flag without an experiment.'] : []),
      ...(taken.length === 0 ? [] : [`Request the experiment ${taken.join(', ')} instead of the flag.`]),
      ...(left.length === 0 ? [] : [`The experiment ${left.join(', ')} is not imported.`]),
    ];
    plan.skip('feature', name, reasons.join(' '));
    const rules = objectsIn(rollouts.get(textIn(flag, 'rolloutId'))?.experiments);
    if (tests.length > 0 && rules.length > 0) {
      const part = `rollout rules ${rules.map((rule) => textIn(rule, 'key', 'id')).join(', ')}`;
      plan.skip('feature', name, 'Gosset has no rules without an experiment.', part);
    }
  }
}

/** Audiences by id, with the conditions of the export. A typed audience replaces the audience with the same id. */
function addAudiences(plan: ImportPlan, { audiences, typedAudiences }: Json): Audiences {
  const records = new Map(
    [...objectsIn(audiences), ...objectsIn(typedAudiences)].map((each) => [textIn(each, 'id'), each]),
  );
  const usable = new Map<string, PlannedAudience>();
  for (const [id, record] of records) {
    const name = textIn(record, 'name', 'id');
    if (id !== PLACEHOLDER) {
      plan.attempt('audience', name, () => {
        const conditions = treeOf(parsed(record.conditions), attributeOf);
        plan.addAudience({ name, conditions: withoutUnknown(conditions) });
        usable.set(id, { name, conditions });
      });
    }
  }
  return usable;
}

/** The goals created from events, by event id. */
function addEvents(plan: ImportPlan, { events }: Json): ReadonlyMap<string, string[]> {
  const goals = new Map<string, string[]>();
  for (const event of objectsIn(events)) {
    const key = textIn(event, 'key');
    plan.attempt('goal', key, () => {
      const apiName = apiNameOf(plan, 'goal', key);
      plan.addGoal({ api_name: apiName, name: key, type: 'custom' });
      for (const id of textsIn(event.experimentIds)) {
        goals.set(id, [...(goals.get(id) ?? []), apiName]);
      }
    });
  }
  return goals;
}

interface Context {
  audiences: Audiences;
  goals: ReadonlyMap<string, string[]>;
}

/** @returns the api_name of the experiment @throws NoEquivalent */
function addExperiment(plan: ImportPlan, experiment: Json, group: Json, context: Context): string {
  const key = textIn(experiment, 'key', 'id');
  requireTestable(experiment);
  const variations = objectsIn(experiment.variations);
  const { traffic, shares } = trafficOf(experiment, variations);
  const targeting = targetingOf(experiment, context.audiences, key);
  const keys = variations.map((variation) => textIn(variation, 'key', 'id'));
  const apiNames = variationApiNames(keys);
  const apiName = apiNameOf(plan, 'experiment', key);
  plan.addExperiment(
    {
      api_name: apiName,
      name: key,
      description: null,
      hypothesis: null,
      tags: [],
      traffic_allocation: traffic,
      variations: keys.map((name, index) => ({
        name,
        api_name: apiNames[index] ?? '',
        traffic_allocation: shares[index] ?? null,
      })),
      audiences_match_type: targeting.match,
      audiences: targeting.names,
      goals: context.goals.get(textIn(experiment, 'id')) ?? [],
      guardrails: [],
      exclusion: exclusionOf(plan, experiment, group),
    },
    targeting.own,
  );
  listParts(
    plan,
    experiment,
    keys.filter((name, index) => name !== apiNames[index]),
  );
  return apiName;
}

function requireTestable({ status, type, cmab }: Json): void {
  if (['Launched', 'Archived', 'Concluded'].includes(textOf(status))) {
    throw new NoEquivalent(`Its status is ${textOf(status)}.`);
  }
  if (isObject(cmab) || ['mab', 'cmab'].includes(textOf(type))) {
    throw bandit();
  }
}

/** An experiment's share of its group; null unless the policy is `random`, where experiments exclude each other. */
function exclusionOf(plan: ImportPlan, experiment: Json, group: Json): Exclusion | null {
  if (textIn(group, 'policy') !== 'random') {
    return null;
  }
  const width = widthsOf(group.trafficAllocation).get(textIn(experiment, 'id')) ?? 0;
  const [name, key] = [`Group ${textIn(group, 'id')}`, textIn(experiment, 'key', 'id')];
  return plan.exclusionOf(key, name, width / BUCKETS, 'exclusion group');
}

/** The bucket counts of variations, or of a group's experiments, by id. */
function widthsOf(trafficAllocation: unknown): ReadonlyMap<string, number> {
  const widths = new Map<string, number>();
  let start = 0;
  for (const range of objectsIn(trafficAllocation)) {
    const [id, end] = [textIn(range, 'entityId'), numberIn(range, 'endOfRange', start)];
    widths.set(id, (widths.get(id) ?? 0) + end - start);
    start = end;
  }
  return widths;
}

function listParts(plan: ImportPlan, experiment: Json, changed: readonly string[]): void {
  const skip = (part: string, reason: string): void =>
    plan.skip('experiment', textIn(experiment, 'key', 'id'), reason, part);
  if (experiment.status === 'Running') {
    skip('status', 'It is running. Finish it in Optimizely; the imported experiment is a draft.');
  }
  if (Object.keys(objectIn(experiment, 'forcedVariations')).length > 0) {
    skip('forced variations', 'Use the preview links of the variations.');
  }
  const variations = objectsIn(experiment.variations);
  if (variations.some((each) => objectsIn(each.variables).length > 0 || 'featureEnabled' in each)) {
    skip('variables of the flag', 'Your code decides by the API name of the variation.');
  }
  if (changed.length > 0) {
    skip(
      `variation keys ${changed.join(', ')}`,
      'API names of variations can contain only lower-case letters, digits, hyphens and underscores.',
    );
  }
}

/** Bucket ranges as percentages: the traffic allocation, and each variation's share of it. */
function trafficOf(
  { trafficAllocation }: Json,
  variations: readonly Json[],
): { traffic: number; shares: (number | null)[] } {
  if (variations.length === 0) {
    throw new NoEquivalent('It has no variations.');
  }
  const widths = widthsOf(trafficAllocation);
  const own = variations.map((variation) => widths.get(textIn(variation, 'id')) ?? 0);
  const total = own.reduce((sum, width) => sum + width, 0);
  if (total === 0) {
    throw new NoEquivalent('No visitor gets one of its variations.');
  }
  const shares = sharesOf(
    own.map((width) => width / total),
    1 / total,
  );
  return { traffic: percent(total / BUCKETS, 'traffic'), shares };
}

interface Targeting {
  match: 'any' | 'all';
  names: string[];
  /** An audience for this experiment only, for conditions that single audiences cannot express. */
  own: PlannedAudience | null;
}

/**
 * The audiences of an experiment. Audience conditions take precedence over lists of audience ids, as in SDKs. @throws
 * NoEquivalent
 */
function targetingOf(
  { audienceConditions, audienceIds }: Json,
  audiences: Audiences,
  key: string,
): Targeting {
  const find = (id: unknown): PlannedAudience => {
    const name = textOf(id);
    const audience = audiences.get(name);
    if (audience === undefined) {
      throw new NoEquivalent(`Its audience ${name || 'without an id'} could not be imported.`);
    }
    return audience;
  };
  const given = parsed(audienceConditions) ?? textsIn(audienceIds);
  const list: unknown[] = Array.isArray(given) ? given : [given];
  const hasOperator = ['and', 'or', 'not'].includes(textOf(list[0]));
  const [operator, ids] = hasOperator ? [list[0], list.slice(1)] : ['or', list];
  const isFlat = operator !== 'not' && ids.every((id) => !Array.isArray(id));
  if (isFlat) {
    const names = ids.map((id) => find(id).name);
    return { match: operator === 'and' ? 'all' : 'any', names: [...new Set(names)], own: null };
  }
  const conditions = withoutUnknown(treeOf(list, (id) => find(id).conditions));
  const name = targetingName(key);
  return { match: 'any', names: [name], own: { name, conditions } };
}
