import { ValidationError } from '../common/errors/api-errors';
import { firstValue, RawQuery } from '../common/lists/list-query';
import { capitalized } from '../common/text/strings';
import { submit } from '../common/validation/submission';
import { PlanExperiment, type PlanRecord } from '../experiments/planning/plan.record';
import type { PlanningService } from '../experiments/planning/planning.service';
import { numberOrText } from '../presentation/text/form-text';
import type { FormState } from './forms/form-state';
import type { SelectOption } from './pages/form-fields';

/** The fields of the form, named as in the request. */
const PLAN_FIELDS = [
  'goal_id',
  'baseline_rate',
  'baseline_mean',
  'baseline_sd',
  'minimum_effect',
  'variations',
  'shares',
  'daily_visitors',
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
 * The form as filled in by the query, and the plan, which is null for an empty form or a form with errors.
 * @param goals the goals that the form offers; other goals in the query are ignored
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
    return { form: { values, errors: {} }, plan: null };
  }
  try {
    const plan = await planning.plan(projectId, submit(PlanExperiment, null, bodyOf(values)));
    return { form: { values, errors: {} }, plan };
  } catch (error) {
    if (error instanceof ValidationError) {
      const errors = errorsIn(error, values, goals.length > 0);
      return { form: { values, errors }, plan: null };
    }
    throw error;
  }
}

/** The request body of the form. Empty fields are omitted, and text that is not a number is sent unchanged. */
function bodyOf({ method, shares, ...numbers }: PlanForm['values']): object {
  const sent = Object.entries(numbers).filter(([, text]) => text !== '');
  return {
    ...Object.fromEntries(sent.map(([field, text]) => [field, numberOrText(text)])),
    ...(shares === '' ? {} : { shares: sharesIn(shares) }),
    ...(method === '' ? {} : { method }),
  };
}

/** Separators between shares. A comma counts only if a space follows it; otherwise, it may be a decimal comma. */
const BETWEEN_SHARES = /\s*[/;:]\s*|,?\s+/;

const sharesIn = (text: string): (number | string | null)[] => text.split(BETWEEN_SHARES).map(numberOrText);

type Errors = Record<string, string[]>;

/** Maps API errors to the form, where the baseline is one of three choices. */
function errorsIn({ extra }: ValidationError, values: PlanForm['values'], hasGoals: boolean): Errors {
  const { goal_id: ofGoal, ...errors } = extra.errors as Errors;
  const found = withBaselineErrors(withOneShareError(errors, values), values);
  if (ofGoal === undefined) {
    return found;
  }
  return values.goal_id === ''
    ? { ...found, baseline_rate: [hasGoals ? `Choose a goal, or ${ENTER}` : capitalized(ENTER)] }
    : {
        ...found,
        goal_id: ['The results from the last 28 days give no baseline. Enter the rate or the value.'],
      };
}

const ENTER = 'enter the rate, or the value and its standard deviation.';

/**
 * The errors, including those for more than one baseline: of the goal, the rate and the value, the first one given
 * counts as correct. The API's message about an empty value or deviation is replaced, because it contains the API's
 * field names.
 */
function withBaselineErrors(errors: Errors, values: PlanForm['values']): Errors {
  const { goal_id: goal, baseline_rate: rate, baseline_mean: mean, baseline_sd: deviation } = values;
  const others = Object.fromEntries(
    Object.entries(errors).filter(([path]) => !isValueField(path) || values[path] !== ''),
  );
  const given = mean !== '' ? 'baseline_mean' : deviation !== '' ? 'baseline_sd' : null;
  if (goal !== '' && (rate !== '' || given !== null)) {
    return {
      ...others,
      ...(rate !== '' && { baseline_rate: ['Choose a goal or enter a rate, not both.'] }),
      ...(given !== null && { [given]: ['Choose a goal or enter a value, not both.'] }),
    };
  }
  if (rate !== '' && given !== null) {
    return { ...others, [given]: ['Enter a rate or a value, not both.'] };
  }
  if (given === null || (mean !== '' && deviation !== '')) {
    return others;
  }
  const missing = mean === '' ? 'mean' : 'sd';
  return { ...others, [`baseline_${missing}`]: [`The baseline ${missing} field is required.`] };
}

const isValueField = (path: string): path is 'baseline_mean' | 'baseline_sd' =>
  path === 'baseline_mean' || path === 'baseline_sd';

/**
 * The form has a single field for all shares, to use instead of the number of variations, so one message covers all
 * share errors.
 */
function withOneShareError(errors: Errors, { variations, shares }: PlanForm['values']): Errors {
  const isBoth = variations !== '' && shares !== '';
  const isAboutShares = (path: string): boolean =>
    path.startsWith('shares.') || (isBoth && path === 'variations');
  const others = Object.entries(errors).filter(([path]) => !isAboutShares(path));
  if (others.length === Object.keys(errors).length) {
    return errors;
  }
  const message = isBoth
    ? 'Enter the number of variations or their shares, not both.'
    : 'Each share must be a number above 0.';
  return { ...Object.fromEntries(others), shares: [message] };
}
