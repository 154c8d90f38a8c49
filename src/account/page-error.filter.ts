import { ArgumentsHost, Catch, ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { refusalOf } from '../common/errors/refusal';
import { AccountPages } from './account-pages';
import { ForeignFormError } from './form-tokens';
import { FORM_EXPIRED, renderErrorPage } from './pages/error-page';
import { SessionRequest, SignInNeeded } from './session.guard';

/** Tells people on a page what went wrong, or where to go first. Only unexpected errors are logged as such. */
@Catch()
export class PageErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(PageErrorFilter.name);

  constructor(private readonly pages: AccountPages) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<SessionRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (error instanceof SignInNeeded) {
      this.pages.redirectToSignIn(reply, request.url);
      return;
    }
    const { status, headers } = refusalOf(error);
    if (status >= 500) {
      this.logger.error({ err: error, requestId: request.id }, 'Request failed');
    }
    const problem = error instanceof ForeignFormError ? FORM_EXPIRED : status;
    reply.headers({ ...headers });
    const { session } = request;
    const viewer = session === undefined ? null : { session };
    this.pages.send(reply, status, viewer, (frame) => renderErrorPage(frame, problem));
  }
}
