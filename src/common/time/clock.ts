import { fullFormats } from 'ajv-formats/dist/formats';

/** Microseconds since 1970-01-01T00:00:00Z; safe as a number until the year 2255. */
export type Micros = number;

const MAX_DRIFT_MS = 5;
let anchor = performance.timeOrigin;

/**
 * The current time in whole microseconds, from the monotonic clock, which is re-anchored when the system clock is set.
 * The system clock is read between two readings of the monotonic clock, because a busy machine may pause the process at
 * any point.
 */
export function nowMicros(): Micros {
  const before = anchor + performance.now();
  const wall = Date.now();
  let now = anchor + performance.now();
  if (wall < before - MAX_DRIFT_MS || wall > now + MAX_DRIFT_MS) {
    anchor += wall - now;
    now = wall;
  }
  return Math.floor(now * 1000);
}

export const MILLISECOND_MICROS = 1_000;
export const SECOND_MICROS = 1_000_000;

/** Rounds a time down to the millisecond. */
export const wholeMillisecond = (moment: Micros): Micros =>
  moment - (((moment % MILLISECOND_MICROS) + MILLISECOND_MICROS) % MILLISECOND_MICROS);

/** The start of the current second, in microseconds. */
export function nowInSeconds(): Micros {
  return Math.floor(nowMicros() / SECOND_MICROS) * SECOND_MICROS;
}

const DAY_SECONDS = 86_400;
const MAX_KNOWN_DATES = 1_000;
/**
 * A cache of formatted dates by day. `Date` takes five times as long, and lists contain hundreds of timestamps from
 * only a few days.
 */
const knownDates = new Map<number, string>();

/** The date in the form `2026-05-01`. Days are counted from 1970-01-01 in UTC. */
function dateOf(day: number): string {
  const known = knownDates.get(day);
  if (known !== undefined) {
    return known;
  }
  if (knownDates.size === MAX_KNOWN_DATES) {
    knownDates.clear();
  }
  const date = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, -'T00:00:00.000Z'.length);
  knownDates.set(day, date);
  return date;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** `2026-05-01T09:30:00.123000Z`, always with six decimal places and `Z`. */
export function formatMicros(micros: Micros): string {
  const seconds = Math.floor(micros / SECOND_MICROS);
  const day = Math.floor(seconds / DAY_SECONDS);
  const ofDay = seconds - day * DAY_SECONDS;
  const [hours, minutes] = [Math.floor(ofDay / 3_600), Math.floor(ofDay / 60) % 60];
  const fraction = String(micros - seconds * SECOND_MICROS).padStart(6, '0');
  return `${dateOf(day)}T${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[ofDay % 60]}.${fraction}Z`;
}

/** Like `formatMicros`, but returns null for null. */
export function formatOptionalMicros(micros: Micros | null): string | null {
  return micros === null ? null : formatMicros(micros);
}

/** Days since 1970-01-01 in UTC. */
export type Day = number;

export const DAY_MICROS = 86_400_000_000;
export const DAY_MS = 86_400_000;
/** `YYYY-MM-DD` */
export const DAY_PATTERN = '^\\d{4}-\\d{2}-\\d{2}$';
const DATE = new RegExp(DAY_PATTERN);

/** The UTC day of a time. */
export const dayOf = (micros: Micros): Day => Math.floor(micros / DAY_MICROS);

/** `2026-05-01` */
export const formatDay = (day: Day): string => dateOf(day);

/** The day of `YYYY-MM-DD`; null for any other format or a day that does not exist. */
export function parseDay(text: string): Day | null {
  const millis = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  const day = millis / DAY_MS;
  return Number.isInteger(day) && formatDay(day) === text ? day : null;
}

/**
 * ISO 8601 allows times without seconds, fractions with a comma, and offsets that lack minutes or are missing entirely.
 */
const TIME = /^(.{10}[t\s]\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?(z|[+-]\d\d(?::?\d\d)?)?$/i;

type Format = { validate: (text: string) => boolean };

const isDateTime = (fullFormats['iso-date-time'] as Format).validate;

/**
 * Parses an ISO 8601 time. Without an offset, it is in UTC. Null if the text is malformed or the time does not exist.
 */
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

/** A time with seconds and offset, as RFC 3339 requires. Other strings are returned unchanged. */
const completed = (given: string): string =>
  given.replace(TIME, (_, minutes: string, seconds: string = ':00', zone: string = 'Z') => {
    const offset = zone.length === '+00'.length ? `${zone}:00` : zone;
    return `${minutes}${seconds.replace(',', '.')}${offset}`;
  });

/**
 * Parses a time that a client sends back from a response. Unlike other times from clients, it has microsecond
 * precision. Null if it is malformed.
 */
export function parseResponseTime(given: string): Micros | null {
  const time = parseTimestamp(given);
  const [, digits = ''] = /\.\d{3}(\d{1,3})/.exec(given) ?? [];
  return time === null ? null : time + Number(digits.padEnd(3, '0'));
}
