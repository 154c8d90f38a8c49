import { Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../platform/access/actor';
import { SignedIn } from '../platform/access/route-access';
import { found } from '../common/errors/api-errors';
import { FormFields, TakesForm, TakesKeptForm } from '../common/http/json-body';
import type { RawQuery } from '../common/lists/list-query';
import { idOf } from '../common/validation/values';
import { expiryIn, TokenRecord, TokensService } from '../users/tokens/tokens.service';
import { AccountPages } from './account-pages';
import { ConfirmationPages } from './confirmation-pages';
import { PageController } from './page-controller';
import { renderRevokePage, renderTokensPage, TokensPage } from './pages/tokens-page';
import { isConfirmedRecently } from './password-confirmation';
import { Form, InSession } from './session.guard';
import { readTokenForm } from './token-form';

const PATH = 'settings/api-tokens';

/** The API tokens of the signed-in user. */
@SignedIn('id')
@PageController(PATH)
export class TokensController {
  constructor(
    private readonly tokens: TokensService,
    private readonly confirmations: ConfirmationPages,
    private readonly pages: AccountPages,
  ) {}

  @Get()
  list(
    @InSession() session: SignedInUser,
    @Query() { notice }: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.sendList(reply, 200, session, {
      isRevoked: notice === 'revoked',
      isConfirmed: notice === 'confirmed' && isConfirmedRecently(session),
    });
  }

  /** Responds with the page itself instead of a redirect. The token is not stored, so no later page could show it. */
  @TakesKeptForm()
  @Post()
  async create(
    @InSession() session: SignedInUser,
    @Form() fields: FormFields,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { userId } = session;
    const tokens = await this.tokens.list(userId);
    const { form, token, errors } = readTokenForm(fields, tokens, await this.tokens.projectsOf(userId));
    if (token === null) {
      await this.sendList(reply, 422, session, { form, errors });
    } else if (await this.confirmations.isConfirmed(reply, session, { path: `/${PATH}`, fields })) {
      const { name, permission, days, projectIds } = token;
      const expiresAt = days === null ? null : expiryIn(days);
      const author = { userId, tokenId: null };
      const issued = await this.tokens.issue(userId, name, permission, author, { expiresAt, projectIds });
      await this.sendList(reply, 201, session, { issued });
    }
  }

  @Get(':id/revoke')
  async confirmRevoke(
    @InSession() session: SignedInUser,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const token = await this.find(session, id);
    this.pages.send(reply, 200, { session }, (frame) => renderRevokePage(frame, token));
  }

  @TakesForm()
  @Post(':id/revoke')
  async revoke(
    @InSession() session: SignedInUser,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { userId } = session;
    const token = await this.find(session, id);
    await this.tokens.revoke(token.id, { userId, tokenId: null }, userId);
    this.pages.redirect(reply, `/${PATH}?notice=revoked`);
  }

  private async find({ userId }: SignedInUser, text: string): Promise<TokenRecord> {
    const id = idOf(text);
    return found(id === null ? null : await this.tokens.find(id, userId));
  }

  private async sendList(
    reply: FastifyReply,
    status: number,
    session: SignedInUser,
    page: Omit<TokensPage, 'tokens' | 'projects'>,
  ): Promise<void> {
    const tokens = await this.tokens.list(session.userId);
    const projects = await this.tokens.projectsOf(session.userId);
    this.pages.send(reply, status, { session }, (frame) =>
      renderTokensPage(frame, { ...page, tokens, projects }),
    );
  }
}
