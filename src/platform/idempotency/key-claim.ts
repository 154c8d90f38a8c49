import { createHash } from 'node:crypto';
import { isTooDeep, MAX_DEPTH } from '../../common/validation/values';
import { DAY_MICROS, Micros, SECOND_MICROS } from '../../common/time/clock';

/** Duration of a lease. If a lease is not renewed, the process that took it has died or stopped. */
const LEASE_MICROS = 10 * SECOND_MICROS;

/** When a lease that is taken or renewed now expires. */
export const leaseEnd = (now: Micros): Micros => now + LEASE_MICROS;

/** A user's key, and the request that it identifies. */
export interface KeyedRequest {
  userId: number;
  keyHash: string;
  fingerprint: string;
}

/** A stored response. */
export interface KeptAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** The result of a claim. */
export type KeyClaim =
  | { found: 'claimed'; claimId: number }
  | { found: 'answered'; answer: KeptAnswer }
  | { found: 'running' }
  | { found: 'another request' };

interface EarlierClaim {
  fingerprint: string;
  claimed_at: Micros;
  /** Null once there is a response. */
  lease_until: Micros | null;
  status: number | null;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The value without levels that are always rejected as too deep. `JSON.stringify` would fail for thousands of levels,
 * and the omitted levels make no difference to the response. The body itself is one more level than its fields.
 */
function withoutDeepLevels(value: unknown, levels = MAX_DEPTH + 2): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (levels === 0) {
    return null;
  }
  const kept = (inner: unknown): unknown => withoutDeepLevels(inner, levels - 1);
  return Array.isArray(value)
    ? value.map(kept)
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, kept(inner)]));
}

/** @param body the parsed body; undefined if there is none */
export function keyedRequest(userId: number, key: string, url: string, body: unknown): KeyedRequest {
  const [path = ''] = url.split('?');
  const sent = body === undefined ? '' : JSON.stringify(isTooDeep(body) ? withoutDeepLevels(body) : body);
  return {
    userId,
    keyHash: hash(key),
    fingerprint: hash(`${path.replace(/\/$/, '')}\n${sent}`),
  };
}

/** How an earlier claim affects a request with the same key. */
export function judge(
  claim: EarlierClaim,
  fingerprint: string,
  now: Micros,
): 'free' | 'answered' | 'running' | 'another request' {
  const { status, claimed_at: claimedAt, lease_until: leaseUntil } = claim;
  if (status === null ? isLeaseOver(leaseUntil ?? 0, now) : claimedAt <= now - DAY_MICROS) {
    return 'free';
  }
  if (claim.fingerprint !== fingerprint) {
    return 'another request';
  }
  return status === null ? 'running' : 'answered';
}

/**
 * Clocks determine only how soon a key becomes available; the transaction in which the work runs prevents double
 * execution. If a lease expires much later than a new one would, it was taken before the clock was set back.
 */
const isLeaseOver = (leaseUntil: Micros, now: Micros): boolean =>
  leaseUntil <= now || leaseUntil > now + 2 * LEASE_MICROS;

/** Whether a response with this status is stored. If a response is not stored, a retry executes the request again. */
export const isKept = (status: number): boolean =>
  (status >= 200 && status < 300) || status === 404 || status === 422;
