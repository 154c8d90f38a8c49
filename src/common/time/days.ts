import { dateOf, type Micros } from './clock';

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

/** The day of `YYYY-MM-DD`; null for another format or a day that does not exist. */
export function parseDay(text: string): Day | null {
  const millis = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  const day = millis / DAY_MS;
  return Number.isInteger(day) && formatDay(day) === text ? day : null;
}
