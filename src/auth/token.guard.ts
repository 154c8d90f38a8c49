import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Actor, ActorRequest } from '../access/actor';
import { needsToken } from '../access/route-access';
import { TokenVerifier } from '../tokens/token-verifier';
import { takeCaller } from './session-calls';

/** The API token of a request, valid or not. */
const givenToken = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** The authenticated user of a request; undefined without a valid token. */
export async function actorOf(request: FastifyRequest, verifier: TokenVerifier): Promise<Actor | undefined> {
  const token = givenToken(request);
  return token === undefined ? undefined : ((await verifier.verify(token)) ?? undefined);
}

/**
 * Authenticates a request by its token, or by the session of the page that makes it inside the process. It rejects
 * nothing: the rate limit comes next, so that failed attempts are counted, and the access guard rejects
 * unauthenticated requests.
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
      const actor = takeCaller() ?? (await actorOf(request, this.verifier));
      request.actor = actor && { ...actor, requestId: request.id };
    }
    return true;
  }
}
