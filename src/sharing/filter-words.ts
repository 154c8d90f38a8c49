import { formatLongDay } from '../presentation/text/dates';
import { listed } from '../presentation/text/words';
import type { ResultFilter } from '../results/experiment-results';
import { isEverybody } from '../results/result-filter';
import type { DeviceType } from '../events/device-types';

/** Display names of devices. */
export const DEVICE_NAMES: Record<DeviceType, string> = {
  desktop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
  other: 'Other',
};

export const isFiltered = (filter: ResultFilter): boolean => !isEverybody(filter);

/** Describes the filter: `Participants who entered from 1 May 2026 on, on mobile or tablet devices.` */
export function filterWords(filter: ResultFilter): string {
  const mature = ' Only participants whose conversion window is over.';
  return filter.cohorts === null ? entryWords(filter) : entryWords(filter) + mature;
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
