import { ValidationError } from '../common/errors/api-errors';
import { firstValue, listValue, RawQuery } from '../common/lists/list-query';
import { formatDay } from '../common/time/clock';
import type { ResultFilter } from '../results/experiment-results';
import { parseResultFilter } from '../results/result-filter';
import type { FilterForm } from './share-model';

/** Labels of the form fields, used instead of parameter names. */
const LABELS = { startDate: 'first day', endDate: 'last day', deviceTypes: 'devices' } as const;

/** The query without empty fields, which forms send too. */
export function withoutEmptyFields(query: RawQuery): RawQuery {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

/** Reads the filter from the form. With errors, which are shown next to the fields, the filter is null. */
export function readFilterForm(query: RawQuery): { filter: ResultFilter | null; form: FilterForm } {
  const form = {
    startDate: firstValue(query, 'startDate'),
    endDate: firstValue(query, 'endDate'),
    deviceTypes: listValue(query, 'deviceTypes') ?? [],
    cohorts: firstValue(query, 'cohorts'),
    errors: {},
  };
  try {
    return { filter: parseResultFilter(query), form };
  } catch (error) {
    if (error instanceof ValidationError) {
      return { filter: null, form: { ...form, errors: labelled(error.extra.errors) } };
    }
    throw error;
  }
}

/** The messages with field labels instead of parameter names. */
function labelled(errors: unknown): FilterForm['errors'] {
  const messages = errors as Record<string, string[]>;
  const inWords = (message: string): string =>
    Object.entries(LABELS).reduce((text, [name, label]) => text.replaceAll(name, label), message);
  return Object.fromEntries(
    Object.entries(messages).map(([field, texts]) => [field, texts.map((text) => inWords(text))]),
  );
}

/** The filter as a query string, after other parameters; empty without any. */
export function sharedQuery(
  { start, end, devices, cohorts }: ResultFilter,
  asked: Record<string, string> = {},
): string {
  const query = new URLSearchParams({
    ...asked,
    ...(start === null ? {} : { startDate: formatDay(start) }),
    ...(end === null ? {} : { endDate: formatDay(end) }),
    ...(devices === null ? {} : { deviceTypes: devices.join(',') }),
    ...(cohorts === null ? {} : { cohorts }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}
