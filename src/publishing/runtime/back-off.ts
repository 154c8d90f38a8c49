const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
const LONGEST_WISH_MS = 3_600_000;

/**
 * How long to wait before the next attempt: exponentially longer, and not all browsers at once.
 * @param failures how often it has failed in a row
 * @param retryAfter what the server asked for: seconds or a date
 * @param random from 0 to 1
 */
export function retryDelay(failures: number, retryAfter: string | null, now: number, random: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.max(longest * (0.5 + random / 2), Math.min(LONGEST_WISH_MS, wish(retryAfter ?? '', now)));
}

const wish = (retryAfter: string, now: number): number =>
  (/^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now) || 0;
