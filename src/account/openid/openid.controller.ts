import { Get, Ip, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedInUser } from '../../platform/access/actor';
import { OPENID_CALLBACK } from '../../platform/access/api-prefix';
import { Public } from '../../platform/access/route-access';
import { NotFoundError } from '../../common/errors/api-errors';
import type { RawQuery } from '../../common/lists/list-query';
import { AccountPages, HOME } from '../account-pages';
import { BrowserSessions } from '../browser-sessions';
import { PageController } from '../page-controller';
import { sameOriginPath } from '../same-origin-redirect';
import { SignInForms } from '../sign-in-forms';
import { OpenIdService } from './openid.service';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Sign-in with the OpenID Connect provider. */
@Public()
@PageController()
export class OpenIdController {
  constructor(
    private readonly service: OpenIdService,
    private readonly browsers: BrowserSessions,
    private readonly forms: SignInForms,
    private readonly pages: AccountPages,
  ) {}

  /**
   * Redirects to the provider. Pages link to this route instead of using a form, because the content security policy
   * forbids forms that submit to other sites. With `confirm`, a signed-in user confirms their identity.
   */
  @Get('login/oidc')
  async begin(
    @Query() { next, confirm }: RawQuery,
    @Ip() ip: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.requireProvider();
    const session = await this.browsers.open(request, reply);
    const goesTo = sameOriginPath(text(next));
    const confirms = confirm === undefined ? null : session;
    if (session !== null && confirms === null) {
      this.pages.redirect(reply, goesTo ?? HOME);
      return;
    }
    const begun = await this.service.begin({ request, reply, ip, next: goesTo, confirms });
    if ('url' in begun) {
      void reply.status(303).headers({ location: begun.url, 'cache-control': 'no-store' }).send();
    } else {
      this.forms.sendRefusal(request, reply, session, begun);
    }
  }

  /** The provider's redirect back to the server. */
  @Get(OPENID_CALLBACK)
  async finish(@Ip() ip: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.requireProvider();
    const session: SignedInUser | null = await this.browsers.open(request, reply);
    const finished = await this.service.finish({ request, reply, ip, session });
    if ('goesTo' in finished) {
      this.pages.redirect(reply, finished.goesTo ?? HOME);
    } else {
      this.forms.sendRefusal(request, reply, session, finished);
    }
  }

  private requireProvider(): void {
    if (!this.service.isConfigured) {
      throw new NotFoundError();
    }
  }
}
