import { CanActivate, createParamDecorator, ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type FormFields, readBody } from '../common/http/json-body';
import { BrowserSessions } from './browser-sessions';
import { CsrfProtection } from './csrf';

/** Thrown for a page that needs a session if no user is signed in. */
export class SignInNeeded extends Error {
  constructor() {
    super('No user is signed in.');
  }
}

/** Guards pages that need a session: finds the signed-in user, and rejects forms from other sites. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly csrf: CsrfProtection,
  ) {}

  /** @throws SignInNeeded, or CsrfError for forms that do not belong to the session */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    // The pages that are shown if the session has ended, or cannot be looked up, keep the input.
    const session = await this.sessions.open(request, reply).finally(() => readBody(request));
    if (session === null) {
      throw new SignInNeeded();
    }
    if (!['GET', 'HEAD'].includes(request.method)) {
      await this.csrf.check(request);
    }
    return true;
  }
}

/** The session found by the guard. */
export const InSession = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<FastifyRequest>().session.signedIn;
});

/** The fields of the submitted form; its route must validate them. */
export const Form = createParamDecorator((_: unknown, context: ExecutionContext): FormFields => {
  return (context.switchToHttp().getRequest<FastifyRequest>().body ?? {}) as FormFields;
});
