import type { Micros } from '../common/time/clock';

const HOUR_MICROS = 3_600_000_000;
/** Maximum age of events; older ones are set to it. A wrong clock is more likely than a visitor three days offline. */
const MAX_AGE_MICROS = 72 * HOUR_MICROS;

/**
 * Imports move the start of an experiment back to its first exposure. Earlier times come from clocks that were never
 * set or from missing values, such as the year 1 or 1970, and would give the results a row for each day since then.
 */
export const EARLIEST_IMPORTED: Micros = Date.UTC(2000, 0) * 1_000;

/**
 * The event time by the server's clock: the time of receipt minus the interval from `timestamp` to `sentAt`. Never in
 * the future, and at most 72 hours ago unless the client is trusted.
 * @param sentAt by the client's clock; if null, the client's clock is taken as correct
 */
export function occurredAt(
  received: Micros,
  sentAt: Micros | null,
  timestamp: Micros | null,
  isTrusted = false,
): Micros {
  if (timestamp === null) {
    return received;
  }
  const own = sentAt === null ? timestamp : received - (sentAt - timestamp);
  const oldest = isTrusted ? 0 : received - MAX_AGE_MICROS;
  return Math.min(received, Math.max(oldest, own));
}
