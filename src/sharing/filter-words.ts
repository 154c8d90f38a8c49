import { formatLongDay } from '../presentation/text/dates';
import { listed } from '../presentation/text/words';
import type { ResultFilter } from '../results/experiment-results';
import type { DeviceType } from '../events/device-types';

/** What the devices are called on the page. */
export const DEVICE_NAMES: Record<DeviceType, string> = {
  desktop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
  other: 'Other',
};

export const isFiltered = ({ start, end, devices }: ResultFilter): boolean =>
  start !== null || end !== null || devices !== null;

/** Whom the figures are about: `Participants who entered from 1 May 2026 on, on mobile or tablet devices.` */
export function filterWords({ start, end, devices }: ResultFilter): string {
  const place = devices === null ? 'on all devices' : `on ${deviceWords(devices)} devices`;
  if (start === null && end === null) {
    return `All participants, ${place}.`;
  }
  const from = start === null ? '' : ` from ${formatLongDay(start)}`;
  const until = end === null ? ' on' : ` until ${formatLongDay(end)}`;
  const time = start !== null && start === end ? ` on ${formatLongDay(start)}` : `${from}${until}`;
  const deeds = end === null ? '' : ' and what they did by then';
  return `Participants who entered${time}${deeds}, ${place}.`;
}

const deviceWords = (devices: readonly DeviceType[]): string =>
  listed(
    devices.map((device) => DEVICE_NAMES[device].toLowerCase()),
    'or',
  );
