import { type ExecutionContext, HttpException, HttpStatus, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  normalizeIp,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import { needsToken } from '../../access/route-access';
import { WINDOW_MS } from './fixed-window';
import { type WindowRecord, WindowThrottlerStorage } from './window-throttler-storage';

/** Requests per minute and client address without a valid token. */
export const ANONYMOUS_LIMIT = 60;

const REMAINING_HEADER = 'X-RateLimit-Remaining';

/** What the guard needs to know about an authenticated caller. */
export interface RateLimitedActor {
  userId: number;
  /** Requests per minute; 0 means unlimited. */
  rateLimit: number;
}

/** A counted hit that may have to be taken back. */
export interface RateHit {
  key: string;
  /** End of the window it was counted in: Unix time in milliseconds. */
  resetAt: number;
  /** Requests left in that window after it. */
  remaining: number;
}

/** The parts of a request that the guard reads (`ip`, `actor`) and writes (`rateHit`). */
export interface RateLimitedRequest {
  ip?: string;
  actor?: RateLimitedActor;
  rateHit?: RateHit;
}

/** The part of a reply that the guard writes to. */
export interface RateLimitedReply {
  header(name: string, value: string | number): unknown;
}

/** Options for `ThrottlerModule` with which `RateLimitGuard` works. */
export function rateLimitOptions(storage: WindowThrottlerStorage): ThrottlerModuleOptions {
  const limit = (context: ExecutionContext): number =>
    context.switchToHttp().getRequest<RateLimitedRequest>().actor?.rateLimit ?? ANONYMOUS_LIMIT;
  return { storage, throttlers: [{ ttl: WINDOW_MS, limit }] };
}

/**
 * One budget per minute for all token routes: per user when the guard before it has set `request.actor`,
 * otherwise per client address. Beyond it the answer is 429.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: WindowThrottlerStorage,
    reflector: Reflector,
  ) {
    super(options, storage, reflector);
  }

  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    if (!needsToken(this.reflector, context)) return true;
    return context.switchToHttp().getRequest<RateLimitedRequest>().actor?.rateLimit === 0;
  }

  protected override async getTracker({ actor, ip = '' }: RateLimitedRequest): Promise<string> {
    return actor ? `user:${actor.userId}` : anonymousKey(ip);
  }

  /** The tracker alone, so that all routes share one budget. */
  protected override generateKey(_context: ExecutionContext, tracker: string): string {
    return tracker;
  }

  protected override async handleRequest({ context, limit }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<RateLimitedRequest>();
    const reply = http.getResponse<RateLimitedReply>();
    const key = this.generateKey(context, await this.getTracker(request));
    request.rateHit = await countHit(this.storage, key, limit, reply);
    return true;
  }
}

/** Counts a request without a valid token that no guard sees; see `countHit`. */
export const countAnonymous = (
  storage: WindowThrottlerStorage,
  address: string,
  reply: RateLimitedReply,
): Promise<RateHit> => countHit(storage, anonymousKey(address), ANONYMOUS_LIMIT, reply);

/** Addresses are shortened to their /64 network in IPv6, where one client has all of it. */
const anonymousKey = (address: string): string => `address:${normalizeIp(address)}`;

/**
 * Counts a request, and writes to the reply what is left.
 * @throws HttpException (429) beyond the limit
 */
async function countHit(
  storage: WindowThrottlerStorage,
  key: string,
  limit: number,
  reply: RateLimitedReply,
): Promise<RateHit> {
  const record = await storage.increment(key, WINDOW_MS, limit);
  const remaining = Math.max(0, limit - record.totalHits);
  setHeaders(reply, limit, remaining, record);
  if (record.isBlocked) {
    throw new HttpException({ message: 'Too Many Attempts.' }, HttpStatus.TOO_MANY_REQUESTS);
  }
  return { key, resetAt: record.resetAt, remaining };
}

function setHeaders(reply: RateLimitedReply, limit: number, remaining: number, record: WindowRecord): void {
  reply.header('X-RateLimit-Limit', limit);
  reply.header(REMAINING_HEADER, remaining);
  reply.header('X-RateLimit-Reset', Math.ceil(record.resetAt / 1000));
  if (record.isBlocked) reply.header('Retry-After', record.timeToBlockExpire);
}

/**
 * Takes back the hit of a request that is answered with 304, once at most, and corrects the header of the
 * reply if one is given. Does nothing for a request that was not counted.
 */
export async function refundNotModified(
  storage: WindowThrottlerStorage,
  request: RateLimitedRequest,
  reply?: RateLimitedReply,
): Promise<void> {
  const hit = request.rateHit;
  if (!hit) return;
  request.rateHit = undefined;
  if (await storage.refund(hit.key, hit.resetAt)) reply?.header(REMAINING_HEADER, hit.remaining + 1);
}
