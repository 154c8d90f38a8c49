import { normalizeIp } from '@nestjs/throttler';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { growingCache } from '../../common/lists/collections';
import { type Hit, MemoryWindow, TooManyAttemptsError } from './rate-window';

const MAX_KEYS = 10_000;
const NO_KEY = 'none';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The hit for a request that was counted only by address, because it was not yet known whether the request's key
     * was valid.
     */
    hitWithoutKey: Hit | null;
  }
}

/**
 * Rate limit for delivery and collection: requests per minute for each client key and address, counted in this process.
 * Unknown keys share one budget per address, so clients cannot bypass the limit with invented keys.
 */
export class DeliveryLimit {
  /** Keys that have received a successful response. */
  private readonly known = growingCache<string, true>(MAX_KEYS);

  /**
   * @param limit requests per minute; 0 = unlimited
   * @param window counter of requests
   */
  constructor(
    private readonly limit: number,
    private readonly window: MemoryWindow = new MemoryWindow(),
  ) {}

  /** Limits all routes in this scope. CORS preflights are not counted. */
  watch(server: FastifyInstance): void {
    if (this.limit === 0) {
      return;
    }
    server.decorateRequest('hitWithoutKey', null);
    // Runs after body parsing, because some keys are in the body.
    server.addHook('preHandler', (request, _reply, done) => {
      done(request.method === 'OPTIONS' ? undefined : this.refusal(request));
    });
    // This runs before the response ends, because afterwards an aborted request would look successful.
    server.addHook('onSend', (request, reply, payload, done) => {
      if (request.hitWithoutKey !== null && reply.statusCode < 400) {
        this.learn(request.hitWithoutKey, request);
      }
      done(null, payload);
    });
  }

  /**
   * Counts a request. Only 429 responses have rate limit headers, because other responses may be cached and shared.
   * @returns the error if the limit is exceeded
   */
  private refusal(request: FastifyRequest): TooManyAttemptsError | undefined {
    const { clientKey } = request;
    const isKnown = clientKey !== null && this.known.has(clientKey);
    const hit = this.window.hit(bucketOf(isKnown ? clientKey : NO_KEY, request));
    if (hit.hits > this.limit) {
      return new TooManyAttemptsError(this.limit, hit);
    }
    if (clientKey !== null && !isKnown) {
      request.hitWithoutKey = hit;
    }
    return undefined;
  }

  /**
   * Remembers that a key is valid because it has received a successful response. From then on, the key has its own
   * budget.
   */
  private learn(hit: Hit, request: FastifyRequest): void {
    const key = request.clientKey ?? NO_KEY;
    this.known.set(key, true);
    void hit.refund();
    this.window.hit(bucketOf(key, request));
  }
}

/** IPv6 addresses are truncated to their /64 network, because one client controls all addresses in it. */
const bucketOf = (key: string, { ip }: FastifyRequest): string => `${key} ${normalizeIp(ip)}`;
