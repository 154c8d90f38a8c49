import { type Json, numberIn, objectIn, objectsIn, textIn } from '../export-values';
import { ImportPlan } from '../import-plan';

/** The api_names of an experiment's goals and guardrails. */
export interface Measured {
  goals: string[];
  guardrails: string[];
}

/**
 * The goals for the metrics in an experiment's settings, the primary goal first. Reports metrics without a goal, and
 * settings that change which visitors or conversions count.
 * @param metrics goals by metric id
 */
export function measuredBy(
  plan: ImportPlan,
  name: string,
  settings: Json,
  metrics: ReadonlyMap<string, string>,
): Measured {
  const used = (...fields: string[]): string[] => {
    const entries = fields.flatMap((field) => objectsIn(settings[field]));
    entries.forEach((entry) => noteOverrides(plan, name, entry));
    return [...new Set(entries.map((entry) => textIn(entry, 'metricId')))];
  };
  const [goalIds, guardrailIds] = [used('goals', 'secondaryMetrics'), used('guardrails')];
  const [primary] = goalIds;
  const goalOf = (id: string): string[] => {
    const goal = metrics.get(id);
    if (goal === undefined) {
      const further = id === primary ? ' It is the primary metric: set the primary goal yourself.' : '';
      plan.skip(
        'experiment',
        name,
        `The files contain no usable metric with this id.${further}`,
        `metric ${id}`,
      );
    }
    return goal === undefined ? [] : [goal];
  };
  noteSettings(plan, name, settings);
  return {
    goals: goalIds.flatMap(goalOf),
    guardrails: guardrailIds.filter((id) => !goalIds.includes(id)).flatMap(goalOf),
  };
}

/** Reports a conversion window that a metric has only in this experiment. */
function noteOverrides(plan: ImportPlan, name: string, entry: Json): void {
  const overrides = objectIn(entry, 'overrides');
  const isChanged =
    textIn(overrides, 'window') !== '' ||
    ['windowHours', 'delayHours'].some((field) => !Number.isNaN(numberIn(overrides, field, NaN)));
  if (isChanged) {
    plan.skip(
      'experiment',
      name,
      'A goal has the same conversion window in all experiments.',
      `window override of metric ${textIn(entry, 'metricId')}`,
    );
  }
}

const EVERYONE = 'Results include all participants. To restrict the experiment, use an audience.';

function noteSettings(plan: ImportPlan, name: string, settings: Json): void {
  const note = (isSet: boolean, part: string, reason: string): void => {
    if (isSet) {
      plan.skip('experiment', name, reason, part);
    }
  };
  const activation = textIn(objectIn(settings, 'activationMetric'), 'metricId');
  const [segment, filter] = [textIn(settings, 'segmentId'), textIn(settings, 'queryFilter')];
  const attribution = textIn(settings, 'attributionModel');
  note(activation !== '', `activation metric ${activation}`, EVERYONE);
  note(segment !== '', `segment ${segment}`, EVERYONE);
  note(filter !== '', `query filter ${filter}`, EVERYONE);
  note(
    !['', 'firstExposure'].includes(attribution),
    `attribution model ${attribution}`,
    'Conversions count from the first exposure, within the conversion window of the goal.',
  );
  note(
    settings.inProgressConversions === 'exclude',
    'in-progress conversions (exclude)',
    'Results include participants whose conversion window has not ended. Read results with cohorts=mature.',
  );
}
