import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TokenVerifier } from '../tokens/token-verifier';
import { actorOf } from '../token.guard';
import { countUnguarded } from './rate-limit.guard';
import { WindowThrottlerStorage } from './rate-window';

const COUNTED_ADDRESS = /^\/(?:api|mcp)(?:[/?]|$)/;

/**
 * Rate limit of requests without a route (404 and 405). Guards run for routes only, and neither the throttler nor the
 * limiter handles requests without a handler.
 */
@Injectable()
export class UnroutedLimit {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly hits: WindowThrottlerStorage,
  ) {}

  /**
   * Counts a request without a route by its user, or by address without a valid token.
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
