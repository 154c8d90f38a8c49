import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Actor, ActorRequest } from '../access/actor';
import { takeCaller } from '../access/page-context';
import { TokenVerifier } from '../../users/tokens/token-verifier';

/** The API token of a request, valid or not. */
const givenToken = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** The authenticated user of a request; undefined without a valid token. */
export async function actorOf(request: FastifyRequest, verifier: TokenVerifier): Promise<Actor | undefined> {
  const token = givenToken(request);
  return token === undefined ? undefined : ((await verifier.verify(token)) ?? undefined);
}

/**
 * Authenticates a request by its token, or by the session of the page that makes it inside the process. The guard
 * itself rejects nothing. The rate limit comes next, so failed attempts are counted. Then the access guard rejects
 * unauthenticated requests.
 */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(private readonly verifier: TokenVerifier) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ActorRequest>();
    const actor = takeCaller() ?? (await actorOf(request, this.verifier));
    request.actor = actor && { ...actor, requestId: request.id };
    return true;
  }
}
