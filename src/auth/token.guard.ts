import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { ActorRequest } from '../access/actor';
import { needsToken } from '../access/route-access';
import { TokenVerifier } from '../tokens/token-verifier';

/** The text of the API token that a request brings along, valid or not. */
export const givenToken = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/**
 * Finds out who sends a request. It lets everybody pass: the rate limit comes next, so that guesses at tokens
 * are counted, and the access guard refuses who is nobody.
 */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly verifier: TokenVerifier,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (needsToken(this.reflector, context)) {
      const request = context.switchToHttp().getRequest<ActorRequest>();
      const token = givenToken(request);
      request.actor = token === undefined ? undefined : ((await this.verifier.verify(token)) ?? undefined);
    }
    return true;
  }
}
