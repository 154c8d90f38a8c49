import { ValidationError } from '../common/errors/api-errors';
import { firstValue, RawQuery } from '../common/lists/list-query';
import { submit } from '../common/validation/submission';
import { PlanExperiment } from '../planning/plan.dto';
import type { PlanRecord } from '../planning/plan.record';
import type { PlanningService } from '../planning/planning.service';
import { numberOrText } from './forms/fields';
import type { FormState } from './forms/form-state';
import type { SelectOption } from './pages/form-fields';

/** The fields of the form, by the names of the request. */
export const PLAN_FIELDS = [
  'goal_id',
  'baseline_rate',
  'minimum_effect',
  'daily_visitors',
  'variations',
  'power',
  'significance',
  'method',
] as const;

type PlanField = (typeof PLAN_FIELDS)[number];

export interface PlanForm {
  values: Record<PlanField, string>;
  errors: FormState['errors'];
}

/**
 * The form of the query, and the plan; null for an empty form and for one with errors.
 * @param goals the goals that the form offers; others in the query are ignored
 */
export async function readPlan(
  planning: PlanningService,
  projectId: number,
  query: RawQuery,
  goals: readonly SelectOption[],
): Promise<{ form: PlanForm; plan: PlanRecord | null }> {
  const asked = Object.fromEntries(
    PLAN_FIELDS.map((field) => [field, firstValue(query, field).trim()]),
  ) as PlanForm['values'];
  const goal = goals.find(({ value }) => value === asked.goal_id);
  const values = { ...asked, goal_id: goal?.value ?? '' };
  if (Object.values(values).every((value) => value === '')) {
    return { form: { values: { ...values, variations: '2' }, errors: {} }, plan: null };
  }
  try {
    const plan = await planning.plan(projectId, submit(PlanExperiment, null, bodyOf(values)));
    return { form: { values, errors: {} }, plan };
  } catch (error) {
    if (error instanceof ValidationError) {
      return { form: { values, errors: errorsIn(error, values) }, plan: null };
    }
    throw error;
  }
}

/** The request body of the form. Empty fields are left out, and text that is not a number is sent unchanged. */
function bodyOf({ method, ...numbers }: PlanForm['values']): object {
  const sent = Object.entries(numbers).filter(([, text]) => text !== '');
  return {
    ...Object.fromEntries(sent.map(([field, text]) => [field, numberOrText(text)])),
    ...(method === '' ? {} : { method }),
  };
}

/** Maps API errors to the form: without a goal, a missing baseline is a missing rate. */
function errorsIn({ extra }: ValidationError, values: PlanForm['values']): PlanForm['errors'] {
  const { goal_id: ofGoal, ...errors } = extra.errors as Record<string, string[]>;
  if (values.goal_id !== '' && values.baseline_rate !== '') {
    return { ...errors, baseline_rate: ['Choose a goal or enter a rate, not both.'] };
  }
  if (ofGoal === undefined) {
    return errors;
  }
  return values.goal_id === ''
    ? { ...errors, baseline_rate: ['The baseline rate field is required.'] }
    : { ...errors, goal_id: ['Its results of the last 28 days give no baseline. Enter the rate instead.'] };
}
