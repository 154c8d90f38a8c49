import { ValidationError } from '../common/errors/api-errors';
import { firstValue, RawQuery } from '../common/lists/list-query';
import { submit } from '../common/validation/submission';
import { PlanExperiment } from '../planning/plan.dto';
import type { PlanRecord } from '../planning/plan.record';
import type { PlanningService } from '../planning/planning.service';
import { numberOrText } from './forms/fields';

/** The fields of the form, by the names of the request. */
export const PLAN_FIELDS = [
  'baseline_rate',
  'minimum_effect',
  'daily_visitors',
  'variations',
  'method',
] as const;

export type PlanField = (typeof PLAN_FIELDS)[number];

export interface PlanForm {
  values: Record<PlanField, string>;
  errors: Partial<Record<PlanField, string>>;
}

/** The form of the query, and the plan; null for an empty form and for one with errors. */
export async function readPlan(
  planning: PlanningService,
  projectId: number,
  query: RawQuery,
): Promise<{ form: PlanForm; plan: PlanRecord | null }> {
  const values = Object.fromEntries(
    PLAN_FIELDS.map((field) => [field, firstValue(query, field).trim()]),
  ) as PlanForm['values'];
  if (Object.values(values).every((value) => value === '')) {
    return { form: { values: { ...values, variations: '2' }, errors: {} }, plan: null };
  }
  try {
    const plan = await planning.plan(projectId, submit(PlanExperiment, null, bodyOf(values)));
    return { form: { values, errors: {} }, plan };
  } catch (error) {
    if (error instanceof ValidationError) {
      return { form: { values, errors: errorsIn(error) }, plan: null };
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

/** Maps API errors to the form: a missing baseline is a missing rate. */
function errorsIn({ extra }: ValidationError): PlanForm['errors'] {
  const { goal_id: missing, ...found } = extra.errors as Record<string, string[]>;
  return {
    ...Object.fromEntries(Object.entries(found).map(([field, messages]) => [field, messages.join(' ')])),
    ...(missing === undefined ? {} : { baseline_rate: 'The conversion rate field is required.' }),
  };
}
