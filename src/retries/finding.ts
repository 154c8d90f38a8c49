import { createHash } from 'node:crypto';
import { Micros, SECOND_MICROS } from '../common/time/clock';
import { DAY_MICROS } from '../common/time/days';

/** The time a claim is held without an answer: its process has died if it takes longer. */
const CLAIM_MICROS = 60 * SECOND_MICROS;

/** Which key a user sends, and for what. */
export interface Demand {
  userId: number;
  keyHash: string;
  fingerprint: string;
}

/** An answer as it is given again. */
export interface KeptAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** What became of the attempt to claim a key. */
export type Finding =
  | { found: 'claimed'; claimId: number }
  | { found: 'answered'; answer: KeptAnswer }
  | { found: 'running' }
  | { found: 'another request' };

interface Claim {
  fingerprint: string;
  claimed_at: Micros;
  status: number | null;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** @param body the parsed body; undefined without one */
export function demandOf(userId: number, key: string, url: string, body: unknown): Demand {
  const [path = ''] = url.split('?');
  const sent = body === undefined ? '' : JSON.stringify(body);
  return {
    userId,
    keyHash: hash(key),
    fingerprint: hash(`${path.replace(/\/$/, '')}\n${sent}`),
  };
}

/** What an earlier claim on a key means for a request that comes with the same key. */
export function judge(
  claim: Claim,
  fingerprint: string,
  now: Micros,
): 'free' | 'answered' | 'running' | 'another request' {
  const { status, claimed_at: claimedAt } = claim;
  if (claimedAt <= now - (status === null ? CLAIM_MICROS : DAY_MICROS)) {
    return 'free';
  }
  if (claim.fingerprint !== fingerprint) {
    return 'another request';
  }
  return status === null ? 'running' : 'answered';
}

/** Is an answer with this status given again? After another one the same request may be tried afresh. */
export const isKept = (status: number): boolean =>
  (status >= 200 && status < 300) || status === 404 || status === 422;
