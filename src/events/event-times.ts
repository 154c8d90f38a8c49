import { fullFormats } from 'ajv-formats/dist/formats';
import type { Micros } from '../common/time/clock';
import { DAY_MICROS, parseDay } from '../common/time/days';

const HOUR_MICROS = 3_600_000_000;
/** Events that are older count as this old: a clock is more often wrong than a visitor three days offline. */
const MAX_AGE_MICROS = 72 * HOUR_MICROS;

const ZONE = /(?:z|[+-]\d\d(?::?\d\d)?)$/i;

type Format = { validate: (text: string) => boolean };

const isDateTime = (fullFormats['iso-date-time'] as Format).validate;

/** A moment written in ISO 8601; without an offset it is UTC. Null when it is written otherwise or does not exist. */
export function parseTimestamp(given: unknown): Micros | null {
  if (typeof given !== 'string' || given.length > 40) {
    return null;
  }
  const day = parseDay(given);
  if (day !== null) {
    return day * DAY_MICROS;
  }
  const millis = isDateTime(given) ? Date.parse(ZONE.test(given.slice(10)) ? given : `${given}Z`) : NaN;
  return Number.isNaN(millis) ? null : millis * 1000;
}

/**
 * When an event happened, by the server's clock: as long before it was received as the client says it was before
 * sending, but not in the future and at most 72 hours ago.
 * @param sentAt by the client's clock; null when it does not say, then its clock is believed
 */
export function occurredAt(received: Micros, sentAt: Micros | null, timestamp: Micros | null): Micros {
  if (timestamp === null) {
    return received;
  }
  const own = sentAt === null ? timestamp : received - (sentAt - timestamp);
  return Math.min(received, Math.max(received - MAX_AGE_MICROS, own));
}
