import { HttpException, HttpStatus, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  normalizeIp,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorOf } from '../authentication/token.guard';
import { TokenVerifier } from '../../users/tokens/token-verifier';
import { type RateKey, type WindowRecord, WINDOW_MS, WindowThrottlerStorage } from './rate-window';

/** Requests per minute from one client address without a valid token. */
const ANONYMOUS_LIMIT = 60;

const REMAINING_HEADER = 'X-RateLimit-Remaining';

/** The fields of an authenticated caller that the guard needs. */
export interface RateLimitedActor {
  userId: number;
  /** Requests per minute; 0 means unlimited. */
  rateLimit: number;
}

/** A counted hit that can be reverted. */
export interface RateHit {
  /** Requests left in the window after this hit. */
  remaining: number;
  /** Reverts the hit, unless the window has ended. @returns whether it was reverted */
  refund: () => boolean | Promise<boolean>;
}

/** The parts of a request that the guard reads (`ip`, `actor`) and writes (`rateHit`). */
export interface RateLimitedRequest {
  ip?: string;
  actor?: RateLimitedActor;
  rateHit?: RateHit;
}

/** The parts of a reply that the guard writes. */
export interface RateLimitedReply {
  header(name: string, value: string | number): unknown;
}

/** The options for `ThrottlerModule` that `RateLimitGuard` needs. */
export function rateLimitOptions(storage: WindowThrottlerStorage): ThrottlerModuleOptions {
  const limit = (context: ExecutionContext): number =>
    context.switchToHttp().getRequest<RateLimitedRequest>().actor?.rateLimit ?? ANONYMOUS_LIMIT;
  return { storage, throttlers: [{ ttl: WINDOW_MS, limit }] };
}

/**
 * One budget per minute for all routes with this guard: per user if the previous guard has set `request.actor`,
 * otherwise per client address. Requests that exceed the budget get a 429.
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
    return context.switchToHttp().getRequest<RateLimitedRequest>().actor?.rateLimit === 0;
  }

  /** Uses only the caller as the key, so all routes share one budget. */
  protected override async handleRequest({ context, limit }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<RateLimitedRequest>();
    const reply = http.getResponse<RateLimitedReply>();
    request.rateHit = await countHit(this.storage, callerKey(request), limit, reply);
    return true;
  }
}

/**
 * Counts a request that no guard handles against the caller's shared budget. See `countHit`.
 * @returns undefined for a user without a limit
 */
export async function countUnguarded(
  storage: WindowThrottlerStorage,
  caller: RateLimitedRequest,
  reply: RateLimitedReply,
): Promise<RateHit | undefined> {
  const limit = caller.actor?.rateLimit ?? ANONYMOUS_LIMIT;
  return limit === 0 && caller.actor ? undefined : countHit(storage, callerKey(caller), limit, reply);
}

/**
 * The user or, if there is no valid token, the address. IPv6 addresses are truncated to /64, because one client
 * controls all addresses in it.
 */
const callerKey = ({ actor, ip = '' }: RateLimitedRequest): RateKey =>
  actor ? `user:${actor.userId}` : `address:${normalizeIp(ip)}`;

/**
 * Counts a request, and sets the rate limit headers of the reply.
 * @throws HttpException (429) if the limit is exceeded
 */
async function countHit(
  storage: WindowThrottlerStorage,
  key: RateKey,
  limit: number,
  reply: RateLimitedReply,
): Promise<RateHit> {
  const record = await storage.increment(key, WINDOW_MS, limit);
  const remaining = Math.max(0, limit - record.totalHits);
  setHeaders(reply, limit, remaining, record);
  if (record.isBlocked) {
    throw new HttpException({ message: 'Too Many Attempts.' }, HttpStatus.TOO_MANY_REQUESTS);
  }
  return { remaining, refund: record.refund };
}

function setHeaders(reply: RateLimitedReply, limit: number, remaining: number, record: WindowRecord): void {
  reply.header('X-RateLimit-Limit', limit);
  reply.header(REMAINING_HEADER, remaining);
  reply.header('X-RateLimit-Reset', Math.ceil(record.resetAt / 1000));
  if (record.isBlocked) reply.header('Retry-After', record.timeToBlockExpire);
}

/**
 * Reverts the hit of a request that should not count, at most once. If a reply is given, also corrects its header. Does
 * nothing if the request was not counted.
 */
export async function refundHit(request: RateLimitedRequest, reply?: RateLimitedReply): Promise<void> {
  const hit = request.rateHit;
  if (!hit) return;
  request.rateHit = undefined;
  if (await hit.refund()) reply?.header(REMAINING_HEADER, hit.remaining + 1);
}

const COUNTED_ADDRESS = /^\/(?:api|mcp)(?:[/?]|$)/;

/**
 * Rate limit for requests without a route (404 and 405). Guards run only for routes, and neither the throttler nor the
 * limiter handles requests without a handler.
 */
@Injectable()
export class UnroutedLimit {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly hits: WindowThrottlerStorage,
  ) {}

  /**
   * Counts a request without a route by its user or, if there is no valid token, by its address.
   * @throws HttpException (429) beyond the limit
   */
  async count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!COUNTED_ADDRESS.test(request.url)) {
      return;
    }
    const actor = await actorOf(request, this.verifier);
    await countUnguarded(this.hits, { actor, ip: request.ip }, reply);
  }
}
