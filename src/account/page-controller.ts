import {
  applyDecorators,
  ArgumentsHost,
  CallHandler,
  Catch,
  Controller,
  ExceptionFilter,
  ExecutionContext,
  Logger,
  NestInterceptor,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { signedInUser } from '../platform/access/actor';
import { withRequestId } from '../platform/access/page-context';
import { PERMISSIONS, ROLES } from '../platform/access/roles';
import { failureLog } from '../common/errors/failure-log';
import { refusalOf } from '../common/errors/refusal';
import { keptForm } from '../common/http/json-body';
import { AccountPages, viewerOf } from './account-pages';
import { CsrfError, CsrfProtection } from './csrf';
import { FORM_EXPIRED, problemIn, renderErrorPage, whoMay } from './pages/error-page';
import { hasInput, renderKeptFormPage } from './pages/kept-form-page';
import { SignInNeeded } from './session.guard';

/**
 * Renders error pages, redirects to sign-in, or sends a page that keeps the input of a rejected form. Logs only
 * unexpected failures as errors.
 */
@Catch()
class PageErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(PageErrorFilter.name);

  constructor(
    private readonly pages: AccountPages,
    private readonly csrf: CsrfProtection,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if ((error instanceof SignInNeeded || error instanceof CsrfError) && this.sendKept(request, reply, 403)) {
      return;
    }
    if (error instanceof SignInNeeded) {
      this.pages.redirectToSignIn(reply, request.url);
      return;
    }
    const { status, headers, extra } = refusalOf(error);
    if (status >= 500) {
      failureLog.report(this.logger, error, { requestId: request.id }, 'Request failed');
    }
    reply.headers({ ...headers });
    if (status === 503 && this.sendKept(request, reply, status)) {
      return;
    }
    const problem = error instanceof CsrfError ? FORM_EXPIRED : problemIn(request, status);
    this.pages.send(reply, status, viewerOf(signedInUser(request)), (frame) =>
      renderErrorPage(frame, problem, reasonIn(extra)),
    );
  }

  /** Sends the page that keeps the input of a form. @returns false for a form without input or from a different site */
  private sendKept(request: FastifyRequest, reply: FastifyReply, status: 403 | 503): boolean {
    const fields = keptForm(request);
    if (fields === null || !hasInput(fields) || !this.csrf.comesFromHere(request)) {
      return false;
    }
    const [path = ''] = request.url.split('?');
    this.pages.send(reply, status, viewerOf(signedInUser(request)), (frame) =>
      renderKeptFormPage(frame, { path, fields, isBusy: status === 503 }),
    );
    return true;
  }
}

/** Says which roles have the missing permission; null if the error is not about a permission. */
function reasonIn({ role, permission }: Readonly<Record<string, unknown>>): string | null {
  const knownRole = ROLES.find((each) => each === role);
  const needed = PERMISSIONS.find((each) => each === permission);
  return knownRole === undefined || needed === undefined ? null : whoMay(knownRole, needed);
}

/** Runs handlers in the context in which the audit log finds the request id. */
const inPageContext: NestInterceptor = {
  intercept: (context: ExecutionContext, next: CallHandler) =>
    // Nest runs the handler in the asynchronous context in which `handle` is called.
    withRequestId(context.switchToHttp().getRequest<FastifyRequest>().id, () => next.handle()),
};

/**
 * A controller of pages and their forms. Errors are rendered as pages, changes have the request id in the audit log, and
 * its routes are not in the API reference. Access is declared separately, with `@SignedIn` or `@Public`.
 */
export const PageController = (path = '/'): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    UseFilters(PageErrorFilter),
    UseInterceptors(inPageContext),
    Controller(path),
  );
