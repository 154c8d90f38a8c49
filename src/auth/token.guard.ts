import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ActorRequest } from '../access/actor';
import { needsToken } from '../access/route-access';
import { TokenVerifier } from '../tokens/token-verifier';

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
      const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      request.actor = token === undefined ? undefined : ((await this.verifier.verify(token)) ?? undefined);
    }
    return true;
  }
}
