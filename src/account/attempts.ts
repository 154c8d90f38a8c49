import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { WINDOW_MS } from '../auth/rate-limit/fixed-window';
import { WindowThrottlerStorage } from '../auth/rate-limit/window-throttler-storage';

/** Something that may be tried so often per minute. */
export interface Guessing {
  key: string;
  limit: number;
}

const PER_ADDRESS = 20;
const PER_USER = 5;
const PER_USER_FROM_ALL = 50;

/** Guesses from one client; in IPv6 it has the whole of its /64 network. */
export const fromAddress = (ip: string): Guessing => ({
  key: `sign-in:address:${normalizeIp(ip)}`,
  limit: PER_ADDRESS,
});

const emailKey = (email: string): string =>
  `sign-in:email:${createHash('sha256').update(email).digest('hex')}`;

/** Guesses from one client at the password of whoever has the e-mail address, whether anybody has it or not. */
export const atEmailFrom = (email: string, ip: string): Guessing => ({
  key: `${emailKey(email)}:${normalizeIp(ip)}`,
  limit: PER_USER,
});

/** The same from all clients together: so many more that it takes several to keep somebody from signing in. */
export const atEmail = (email: string): Guessing => ({ key: emailKey(email), limit: PER_USER_FROM_ALL });

/** Guesses at the password of somebody whose browser was left open. */
export const atUser = (userId: number): Guessing => ({ key: `password:user:${userId}`, limit: PER_USER });

/** An attempt that may be made, or the seconds until one may. */
export type Attempt =
  { isAllowed: true; forgive: () => Promise<void> } | { isAllowed: false; retryAfter: number };

/** Counts attempts at passwords, so that they cannot be guessed. */
@Injectable()
export class Attempts {
  constructor(private readonly counts: WindowThrottlerStorage) {}

  /**
   * Counts an attempt. What one limit refuses the others do not count, so that who is refused here cannot keep
   * somebody else from signing in there.
   */
  async count(guesses: readonly Guessing[]): Promise<Attempt> {
    const counted: { key: string; resetAt: number }[] = [];
    for (const { key, limit } of guesses) {
      const { isBlocked, timeToBlockExpire, resetAt } = await this.counts.increment(key, WINDOW_MS, limit);
      if (isBlocked) {
        return { isAllowed: false, retryAfter: timeToBlockExpire };
      }
      counted.push({ key, resetAt });
    }
    const forgive = async (): Promise<void> => {
      await Promise.all(counted.map(({ key, resetAt }) => this.counts.refund(key, resetAt)));
    };
    return { isAllowed: true, forgive };
  }
}
