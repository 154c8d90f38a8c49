const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
const LONGEST_WISH_MS = 3_600_000;

/**
 * The delay before the next attempt: exponential back-off, with random differences between browsers.
 * @param failures number of consecutive failures
 * @param retryAfter the server's `Retry-After` header: seconds or a date
 * @param random from 0 to 1
 */
export function retryDelay(failures: number, retryAfter: string | null, now: number, random: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.max(longest * (0.5 + random / 2), Math.min(LONGEST_WISH_MS, wish(retryAfter ?? '', now)));
}

const wish = (retryAfter: string, now: number): number =>
  (/^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now) || 0;
