import { fullFormats } from 'ajv-formats/dist/formats';
import { DAY_MICROS, type Micros, parseDay } from './clock';

/** ISO 8601 allows times without seconds, a comma before fractions, and offsets without minutes or none at all. */
const TIME = /^(.{10}[t\s]\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?(z|[+-]\d\d(?::?\d\d)?)?$/i;

type Format = { validate: (text: string) => boolean };

const isDateTime = (fullFormats['iso-date-time'] as Format).validate;

/** Parses an ISO 8601 time; without an offset it is UTC. Null if it is malformed or does not exist. */
export function parseTimestamp(given: unknown): Micros | null {
  if (typeof given !== 'string' || given.length > 40) {
    return null;
  }
  const day = parseDay(given);
  if (day !== null) {
    return day * DAY_MICROS;
  }
  const whole = completed(given);
  const millis = isDateTime(whole) ? Date.parse(whole) : NaN;
  return Number.isNaN(millis) ? null : millis * 1000;
}

/** A time as RFC 3339 writes it, with seconds and offset; other texts are unchanged. */
const completed = (given: string): string =>
  given.replace(TIME, (_, minutes: string, seconds: string = ':00', zone: string = 'Z') => {
    const offset = zone.length === '+00'.length ? `${zone}:00` : zone;
    return `${minutes}${seconds.replace(',', '.')}${offset}`;
  });

/** Parses a time of a response that is sent back: unlike client clocks, it has microseconds. Null if it is malformed. */
export function parseResponseTime(given: string): Micros | null {
  const time = parseTimestamp(given);
  const [, digits = ''] = /\.\d{3}(\d{1,3})/.exec(given) ?? [];
  return time === null ? null : time + Number(digits.padEnd(3, '0'));
}
