import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import {
  type RateKey,
  WINDOW_MS,
  type WindowRecord,
  WindowThrottlerStorage,
} from '../platform/rate-limit/rate-window';

/** A group of attempts that are counted together, with its limit per minute. */
export interface AttemptLimit {
  key: RateKey;
  limit: number;
}

const PER_ADDRESS = 20;
const PER_USER = 5;
const PER_USER_FROM_ALL = 50;

/** Attempts from one client address (for IPv6, from its /64 network). */
export const fromAddress = (ip: string): AttemptLimit => ({
  key: `sign-in-address:${normalizeIp(ip)}`,
  limit: PER_ADDRESS,
});

const hashOf = (email: string): string => createHash('sha256').update(email).digest('hex');

/** Attempts from one client address for one e-mail address, even if no user has this e-mail address. */
export const atEmailFrom = (email: string, ip: string): AttemptLimit => ({
  key: `sign-in-email-address:${hashOf(email)}:${normalizeIp(ip)}`,
  limit: PER_USER,
});

/**
 * Attempts from all client addresses for one e-mail address. The limit is higher than for one client address, so a
 * single client cannot lock out a user.
 */
export const atEmail = (email: string): AttemptLimit => ({
  key: `sign-in-email:${hashOf(email)}`,
  limit: PER_USER_FROM_ALL,
});

/** Invalid invitation links, from one client address. */
export const withInvitation = (ip: string): AttemptLimit => ({
  key: `invitation-address:${normalizeIp(ip)}`,
  limit: PER_ADDRESS,
});

/** Failed sign-ins with OpenID Connect, from one client address. */
export const withOpenId = (ip: string): AttemptLimit => ({
  key: `openid-address:${normalizeIp(ip)}`,
  limit: PER_ADDRESS,
});

/** Attempts to enter the current password in an open session, either to change it or to confirm an action. */
export const atUser = (userId: number): AttemptLimit => ({ key: `password-user:${userId}`, limit: PER_USER });

/** The result of counting an attempt: allowed, or the number of seconds until the next attempt is allowed. */
export type Attempt =
  { isAllowed: true; forgive: () => Promise<void> } | { isAllowed: false; retryAfter: number };

/**
 * Limits failed attempts with passwords, invitation links and OpenID Connect (brute force). `rate-limiter-flexible`
 * counts them like the API's rate limits: in Redis (shared by all processes) or in memory.
 */
@Injectable()
export class BruteForceProtection {
  constructor(private readonly counts: WindowThrottlerStorage) {}

  /**
   * Counts an attempt. If one limit rejects the attempt, the other limits do not count it. A rejected client therefore
   * cannot use up the limits of other users, such as those in the same office.
   */
  async count(limits: readonly AttemptLimit[]): Promise<Attempt> {
    const counted: WindowRecord[] = [];
    const forgive = async (): Promise<void> => {
      await Promise.all(counted.map(async ({ refund }) => refund()));
    };
    for (const { key, limit } of limits) {
      const record = await this.counts.increment(key, WINDOW_MS, limit);
      if (record.isBlocked) {
        await forgive();
        return { isAllowed: false, retryAfter: record.timeToBlockExpire };
      }
      counted.push(record);
    }
    return { isAllowed: true, forgive };
  }
}
