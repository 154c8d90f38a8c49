import { Day, DAY_MS, type Micros } from '../../common/time/clock';

const formatter = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });

const long = formatter({ day: 'numeric', month: 'long', year: 'numeric' });
const short = formatter({ day: 'numeric', month: 'short' });
const withYear = formatter({ day: 'numeric', month: 'short', year: '2-digit' });
const monthly = formatter({ month: 'short', year: '2-digit' });
const time = formatter({ hour: '2-digit', minute: '2-digit' });
const second = formatter({ hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** `1 May 2026` */
export const formatLongDay = (day: Day): string => long.format(day * DAY_MS);

/** `1 May`, for places where the year is clear. */
export const formatShortDay = (day: Day): string => short.format(day * DAY_MS);

/** `28 Dec 26`, for axes that span two years. */
export const formatDayWithYear = (day: Day): string => withYear.format(day * DAY_MS);

/** `May 26`, for axes that are longer than a year. */
export const formatMonth = (day: Day): string => monthly.format(day * DAY_MS);

/** `1 May 2026, 09:30 UTC` */
export function formatMoment(micros: Micros): string {
  const millis = micros / 1000;
  return `${long.format(millis)}, ${time.format(millis)} UTC`;
}

/** Formats an API timestamp like `formatMoment`. */
export const formatTimestamp = (at: string): string => formatMoment(Date.parse(at) * 1000);

/** A timestamp as quoted in API messages. */
const QUOTED = /"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z)"/g;

/** A timestamp in API messages about a schedule. Other messages can contain names that look like it. */
const IN_SECONDS = /\b(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)/g;
const ABOUT_SCHEDULE = /^The (?:planned )?(?:start|end)\b/;

/**
 * An API message with times formatted as on pages. The message stays unchanged if two different times in it fall in the
 * same minute and would look the same. It also stays unchanged if one of them is not a valid time, because it may be a
 * quoted name.
 */
export function withMoments(message: string): string {
  const pattern = ABOUT_SCHEDULE.test(message) ? IN_SECONDS : QUOTED;
  const stamps = new Set([...message.matchAll(pattern)].map(([, stamp]) => stamp));
  if ([...stamps].some((stamp) => Number.isNaN(Date.parse(stamp)))) {
    return message;
  }
  return new Set([...stamps].map(formatTimestamp)).size < stamps.size
    ? message
    : message.replaceAll(pattern, (_, stamp: string) => formatTimestamp(stamp));
}

/** `1 May, 09:30:02`, in UTC. */
export function formatSecond(micros: Micros): string {
  const millis = micros / 1000;
  return `${short.format(millis)}, ${second.format(millis)}`;
}
