import { Get, Ip, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { signedInUser } from '../platform/access/actor';
import { Public } from '../platform/access/route-access';
import { FormFields, TakesForm } from '../common/http/json-body';
import type { InvitedUser } from '../users/invitation.store';
import { Config } from '../config/config';
import { AccountPages, HOME } from './account-pages';
import { BrowserSessions } from './browser-sessions';
import { CsrfProtection } from './csrf';
import { InvitationService } from './invitation.service';
import { PageController } from './page-controller';
import {
  InvitationPage,
  renderInvalidInvitationPage,
  renderInvitationPage,
  renderProviderInvitationPage,
} from './pages/invitation-page';
import { Form } from './session.guard';

/** The page of an invitation link, where a new user sets a password. */
@Public()
@PageController('invitation')
export class InvitationController {
  constructor(
    private readonly invitations: InvitationService,
    private readonly browsers: BrowserSessions,
    private readonly csrf: CsrfProtection,
    private readonly pages: AccountPages,
    private readonly config: Config,
  ) {}

  @Get(':token')
  async show(
    @Param('token') secret: string,
    @Ip() ip: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.browsers.open(request, reply);
    const invited = await this.find(secret, ip, reply);
    if (invited !== null) {
      this.sendForm(request, reply, 200, { secret, invited });
    }
  }

  @TakesForm()
  @Post(':token')
  async accept(
    @Param('token') secret: string,
    @Form() { password = '', repeated = '' }: FormFields,
    @Ip() ip: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.browsers.open(request, reply);
    if (this.config.hasPasswords) {
      await this.csrf.checkSignIn(request);
    }
    const invited = await this.find(secret, ip, reply);
    if (invited === null) {
      return;
    }
    if (!this.config.hasPasswords) {
      this.sendForm(request, reply, 403, { secret, invited });
      return;
    }
    const acceptance = await this.invitations.accept(secret, { password, repeated });
    if (acceptance.outcome === 'invalid') {
      this.sendInvalid(reply, 404);
    } else if (acceptance.outcome === 'refused') {
      this.sendForm(request, reply, 422, { secret, invited, errors: acceptance.errors });
    } else {
      const isSignedIn = await this.browsers.begin(request, reply, acceptance.user);
      this.pages.redirect(reply, isSignedIn ? HOME : '/login');
    }
  }

  /** The user of the link; null if an error page has been sent. */
  private async find(secret: string, ip: string, reply: FastifyReply): Promise<InvitedUser | null> {
    const found = await this.invitations.find(secret, ip);
    if (found.outcome === 'valid') {
      return found.invited;
    }
    if (found.outcome === 'too many') {
      reply.header('retry-after', found.retryAfter);
      this.sendInvalid(reply, 429, found.retryAfter);
    } else {
      this.sendInvalid(reply, 404);
    }
    return null;
  }

  private sendInvalid(reply: FastifyReply, status: number, retryAfter?: number): void {
    this.pages.send(reply, status, null, (frame) => renderInvalidInvitationPage(frame, retryAfter));
  }

  private sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    page: Pick<InvitationPage, 'secret' | 'invited' | 'errors'>,
  ): void {
    if (!this.config.hasPasswords) {
      this.pages.send(
        reply,
        status,
        null,
        (frame) => renderProviderInvitationPage(frame, page.invited),
        'strict-origin',
      );
      return;
    }
    const signedInAs = signedInUser(request)?.email ?? null;
    this.csrf.beginSignIn(request, reply);
    this.pages.send(
      reply,
      status,
      'signing in',
      (frame) => renderInvitationPage(frame, { ...page, signedInAs }),
      'strict-origin',
    );
  }
}
