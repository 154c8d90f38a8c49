import { normalizeIp } from '@nestjs/throttler';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../common/errors/api-errors';
import { bodyOf, givenClientKey } from '../../common/http/open-routes';
import { FixedWindowCounter, WINDOW_MS } from './fixed-window';

const MAX_KEYS = 10_000;
const NO_KEY = 'none';

/** A request that was counted without its key, because nobody knew yet whether that is somebody's. */
interface Suspect {
  key: string;
  bucket: string;
  resetAt: number;
}

/**
 * Limits what sites and back ends of visitors call: so many requests a minute for each client key and address,
 * counted in this process. Keys that are nobody's share one budget per address, or inventing them would be free.
 */
export class DeliveryLimit {
  /** Keys that have been answered with success. */
  private readonly known = new LRUCache<string, true>({ max: MAX_KEYS });
  private readonly suspects = new WeakMap<FastifyRequest, Suspect>();

  /**
   * @param limit requests per minute; 0 = unlimited
   * @param counter where requests are counted
   */
  constructor(
    private readonly limit: number,
    private readonly counter: FixedWindowCounter = new FixedWindowCounter(),
  ) {}

  /** Limits all routes of this part of the server; answers to browsers that ask first are free. */
  watch(server: FastifyInstance): void {
    if (this.limit === 0) {
      return;
    }
    // Not earlier, because some keys are in the body.
    server.addHook('preValidation', async (request) => {
      if (request.method !== 'OPTIONS') {
        this.admit(request);
      }
    });
    // Not later, because a request that breaks off looks like a success then.
    server.addHook('onSend', (request, reply, payload, done) => {
      this.learn(request, reply);
      done(null, payload);
    });
  }

  /** @throws ApiError (429) beyond the limit */
  private admit(request: FastifyRequest): void {
    const { writeKey } = Object(bodyOf(request).value) as { writeKey?: unknown };
    const key = givenClientKey(request, writeKey);
    const isKnown = key !== null && this.known.has(key);
    const bucket = bucketOf(isKnown ? key : NO_KEY, request);
    const { hits, resetAt } = this.counter.hit(bucket);
    if (hits > this.limit) {
      throw new ApiError(429, 'Too Many Attempts.', {}, refusalHeaders(this.limit, resetAt));
    }
    if (key !== null && !isKnown) {
      this.suspects.set(request, { key, bucket, resetAt });
    }
  }

  /** A key that was answered with success is somebody's, and from now on has a budget of its own. */
  private learn(request: FastifyRequest, { statusCode }: FastifyReply): void {
    const suspect = this.suspects.get(request);
    if (suspect !== undefined && statusCode < 400) {
      this.known.set(suspect.key, true);
      this.counter.refund(suspect.bucket, suspect.resetAt);
      this.counter.hit(bucketOf(suspect.key, request));
    }
  }
}

/** Addresses are shortened to their /64 network in IPv6, where one client has all of it. */
const bucketOf = (key: string, { ip }: FastifyRequest): string => `${key} ${normalizeIp(ip)}`;

/** The count is told to those who are refused only: other answers may be kept by caches and shown to anybody. */
function refusalHeaders(limit: number, resetAt: number): Record<string, string> {
  const seconds = Math.ceil((resetAt - Date.now()) / 1000);
  return {
    'retry-after': String(Math.min(WINDOW_MS / 1000, Math.max(1, seconds))),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
  };
}
