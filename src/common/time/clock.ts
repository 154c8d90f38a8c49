/** Microseconds since 1970-01-01T00:00:00Z; safe as a number until the year 2255. */
export type Micros = number;

const MAX_DRIFT_MS = 5;
let anchor = performance.timeOrigin;

/**
 * The current time in whole microseconds: the monotonic clock, re-anchored when the system clock is set. The system
 * clock is read between two readings of the other one, because a busy machine may pause the process between readings.
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

export const SECOND_MICROS = 1_000_000;

/** The start of the current second. */
export function nowInSeconds(): Micros {
  return Math.floor(nowMicros() / SECOND_MICROS) * SECOND_MICROS;
}

/** `2026-05-01T09:30:00.123000Z`: always six digits and Z. */
export function formatMicros(micros: Micros): string {
  const millis = Math.floor(micros / 1000);
  const rest = micros - millis * 1000;
  return `${new Date(millis).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

/** Like `formatMicros`, for a nullable time. */
export function formatOptionalMicros(micros: Micros | null): string | null {
  return micros === null ? null : formatMicros(micros);
}
