import { ValidationError } from '../common/errors/api-errors';
import { firstValue, listValue, RawQuery } from '../common/lists/list-query';
import { formatDay } from '../common/time/clock';
import type { DeviceType } from '../events/device-types';
import { formatLongDay } from '../presentation/text/dates';
import { listed } from '../common/text/strings';
import type { ResultFilter } from '../results/experiment-results';
import { isWithoutEffect, parseResultFilter } from '../results/result-filter';
import type { FilterForm } from './share-model';

/** Display names of devices. */
export const DEVICE_NAMES: Record<DeviceType, string> = {
  desktop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
  other: 'Other',
};

/** Whether the filter leaves out participants. @param hasWindows whether any goal has a conversion window */
export const isFiltered = (filter: ResultFilter, hasWindows: boolean): boolean =>
  !isWithoutEffect(filter, hasWindows);

/**
 * Describes the filter: `Participants who entered from 1 May 2026 on, on mobile or tablet devices.`
 * @param hasWindows whether any goal has a conversion window
 */
export function filterWords(filter: ResultFilter, hasWindows: boolean): string {
  const mature = ' Goals with a conversion window include only participants whose window has ended.';
  return filter.cohorts === null || !hasWindows ? entryWords(filter) : entryWords(filter) + mature;
}

function entryWords({ start, end, devices }: ResultFilter): string {
  const place = devices === null ? 'on all devices' : `on ${deviceWords(devices)} devices`;
  if (start === null && end === null) {
    return `All participants, ${place}.`;
  }
  const from = start === null ? '' : ` from ${formatLongDay(start)}`;
  const until = end === null ? ' on' : ` until ${formatLongDay(end)}`;
  const time = start !== null && start === end ? ` on ${formatLongDay(start)}` : `${from}${until}`;
  const deeds = end === null ? '' : ' and their conversions by then';
  return `Participants who entered${time}${deeds}, ${place}.`;
}

const deviceWords = (devices: readonly DeviceType[]): string =>
  listed(
    devices.map((device) => DEVICE_NAMES[device].toLowerCase()),
    'or',
  );

/** Labels of the form fields, used instead of parameter names. */
const LABELS = { startDate: 'first day', endDate: 'last day', deviceTypes: 'devices' } as const;

/** The query without empty fields, because forms send those too. */
export function withoutEmptyFields(query: RawQuery): RawQuery {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

/**
 * Reads the filter from the form. If there are errors, the filter is null and the form shows each error next to its
 * field.
 */
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

/** The query string: first the other parameters, then the filter. Empty if there are no parameters. */
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
