import { Injectable } from '@nestjs/common';
import { type Micros, SECOND_MICROS } from '../common/time/clock';

const MINUTE = 60 * SECOND_MICROS;
const HOUR = 60 * MINUTE;

/**
 * The wait after the first failed attempt, after the second, and so on. There are 8 attempts within 24 hours, even with
 * the maximum jitter. `Retry-After` lengthens only the first three waits, so it delays the last attempt by less than 2.5
 * hours.
 */
const WAITS: readonly Micros[] = [
  5 * SECOND_MICROS,
  5 * MINUTE,
  30 * MINUTE,
  1.5 * HOUR,
  3.5 * HOUR,
  6 * HOUR,
  10 * HOUR,
];
/**
 * The maximum random addition to a wait, as a fraction of the wait. It keeps failed deliveries from all being retried
 * at the same time.
 */
const JITTER = 0.1;

/** The longest `Retry-After` that is respected. */
const MAX_ASKED = HOUR;

/** The longest wait after each failed attempt, with the maximum jitter and `Retry-After`. */
export const LONGEST_WAITS: readonly Micros[] = WAITS.map((wait) => Math.max(wait * (1 + JITTER), MAX_ASKED));

/** Decides when a failed delivery is retried. */
@Injectable()
export class RetrySchedule {
  /** Timeout of an attempt in milliseconds, from the DNS lookup to the status of the response. */
  readonly timeoutMs: number = 10_000;

  /**
   * @param tries the number of failed attempts so far
   * @param asked the receiver's `Retry-After`; null if there is none
   * @returns the wait until the next attempt; null after the last one
   */
  waitAfter(tries: number, asked: Micros | null, random: number = Math.random()): Micros | null {
    const wait = WAITS[tries - 1];
    return wait === undefined
      ? null
      : Math.round(Math.max(wait * (1 + JITTER * random), Math.min(asked ?? 0, MAX_ASKED)));
  }
}

/** Reads `Retry-After`, in seconds or as a date; null if it is neither. */
export function readRetryAfter(header: string | undefined, now: Micros): Micros | null {
  if (header === undefined) {
    return null;
  }
  if (/^\d{1,9}$/.test(header)) {
    return Number(header) * SECOND_MICROS;
  }
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date * 1_000 - now);
}
