import { CanActivate, createParamDecorator, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { needsSession } from '../access/route-access';
import type { FormFields } from '../common/http/json-body';
import type { OpenSession } from '../users/sessions';
import { BrowserSessions } from './browser-sessions';
import { FormTokens } from './form-tokens';

export interface SessionRequest extends FastifyRequest {
  session?: OpenSession;
}

/** A page that somebody has to sign in for first. */
export class SignInNeeded extends Error {
  constructor() {
    super('Nobody is signed in.');
  }
}

/** Finds out who is signed in where that matters, and takes forms from nowhere but our own pages. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly sessions: BrowserSessions,
    private readonly forms: FormTokens,
  ) {}

  /** @throws SignInNeeded, or ForeignFormError for forms that are not from a page of the session */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (!needsSession(this.reflector, context)) {
      return true;
    }
    const request = context.switchToHttp().getRequest<SessionRequest>();
    const session = await this.sessions.find(request, context.switchToHttp().getResponse<FastifyReply>());
    if (session === null) {
      throw new SignInNeeded();
    }
    if (!['GET', 'HEAD'].includes(request.method)) {
      this.forms.checkForSession(request, session.secret);
    }
    request.session = session;
    return true;
  }
}

/** The session that the guard found. */
export const InSession = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<SessionRequest>().session;
});

/** The fields of the form that was sent, which its route has to take. */
export const Form = createParamDecorator((_: unknown, context: ExecutionContext): FormFields => {
  return (context.switchToHttp().getRequest<FastifyRequest>().body ?? {}) as FormFields;
});
