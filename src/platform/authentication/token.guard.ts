import { AsyncLocalStorage } from 'node:async_hooks';
import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Actor, ActorRequest } from '../access/actor';
import { TokenVerifier } from '../../users/tokens/token-verifier';

/** The user on whose behalf a page calls the API; null once a request has been authenticated with it. */
interface Caller {
  actor: Actor | null;
}

/**
 * The asynchronous context for API requests that pages make inside the process. Requests from the network start at
 * their connection, outside this context, so a client cannot set the caller by anything that it sends.
 */
const callers = new AsyncLocalStorage<Caller>();

/** Sends one API request on behalf of a signed-in user. Only the first request inside `send` is authenticated. */
export function callAsUser<T>(actor: Actor, send: () => PromiseLike<T>): Promise<T> {
  // `inject` starts its request only when it is awaited, which must happen inside the context.
  return callers.run({ actor }, async () => await send());
}

/** The user on whose behalf a page makes the current request; undefined for requests from the network. */
function takeCaller(): Actor | undefined {
  const caller = callers.getStore();
  const actor = caller?.actor ?? undefined;
  if (caller !== undefined) {
    caller.actor = null;
  }
  return actor;
}

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
