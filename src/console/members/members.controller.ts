import { Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../../platform/access/actor';
import { SignedIn } from '../../platform/access/route-access';
import { AccountPages } from '../../account/account-pages';
import { ConfirmationPages } from '../../account/confirmation-pages';
import { PageController } from '../../account/page-controller';
import { Form, InSession } from '../../account/session.guard';
import type { FormFields } from '../../common/http/json-body';
import type { RawQuery } from '../../common/lists/list-query';
import { ConsoleForms, FormVisit, OnForm, PostForm } from '../forms/console-forms';
import { noticeIn } from '../notices';
import { ADD_FORM, INVITE_FORM, REMOVE_FORM, ROLE_FORM } from './member-forms';
import { renderMembersPage } from './members-page';
import { TeamSubjects } from './team-subject';

/** The member list of a team and its forms, for team admins. */
@SignedIn('team', 'user')
@PageController('teams/:team')
export class MemberPagesController {
  constructor(
    private readonly subjects: TeamSubjects,
    private readonly forms: ConsoleForms,
    private readonly pages: AccountPages,
    private readonly confirmations: ConfirmationPages,
  ) {}

  @Get('members/')
  async list(
    @InSession() session: SignedInUser,
    @Param('team') team: string,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const subject = await this.subjects.read(session.userId, team);
    const page = { subject, members: await this.subjects.list(subject), notice: noticeIn(query) };
    this.pages.send(reply, 200, { session }, (frame) => renderMembersPage(frame, page));
  }

  @Get('members/add/')
  async showAdd(
    @InSession() { userId }: SignedInUser,
    @Param('team') team: string,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    this.forms.show(visit, ADD_FORM, await this.subjects.read(userId, team));
  }

  @PostForm('members/add/')
  async add(
    @InSession() session: SignedInUser,
    @Param('team') team: string,
    @Form() fields: FormFields,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    const read = () => this.subjects.read(session.userId, team);
    const form = { path: ADD_FORM.path(await read()), fields };
    if (await this.confirmations.isConfirmed(visit, session, form)) {
      await this.forms.submit(visit, ADD_FORM, read);
    }
  }

  @Get('members/:user/role/')
  async showRole(
    @InSession() { userId }: SignedInUser,
    @Param('team') team: string,
    @Param('user') user: string,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    this.forms.show(visit, ROLE_FORM, await this.subjects.readMember(userId, team, user));
  }

  @PostForm('members/:user/role/')
  async setRole(
    @InSession() { userId }: SignedInUser,
    @Param('team') team: string,
    @Param('user') user: string,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    await this.forms.submit(visit, ROLE_FORM, () => this.subjects.readMember(userId, team, user));
  }

  @Get('members/:user/remove/')
  async showRemove(
    @InSession() { userId }: SignedInUser,
    @Param('team') team: string,
    @Param('user') user: string,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    this.forms.show(visit, REMOVE_FORM, await this.subjects.readMember(userId, team, user));
  }

  @PostForm('members/:user/remove/')
  async remove(
    @InSession() { userId }: SignedInUser,
    @Param('team') team: string,
    @Param('user') user: string,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    await this.forms.submit(visit, REMOVE_FORM, () => this.subjects.readMember(userId, team, user));
  }

  @Get('members/:user/invitation/')
  async showInvite(
    @InSession() { userId }: SignedInUser,
    @Param('team') team: string,
    @Param('user') user: string,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    this.forms.show(visit, INVITE_FORM, await this.subjects.readMember(userId, team, user));
  }

  @PostForm('members/:user/invitation/')
  async invite(
    @InSession() session: SignedInUser,
    @Param('team') team: string,
    @Param('user') user: string,
    @Form() fields: FormFields,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    const read = () => this.subjects.readMember(session.userId, team, user);
    const form = { path: INVITE_FORM.path(await read()), fields };
    if (await this.confirmations.isConfirmed(visit, session, form)) {
      await this.forms.submit(visit, INVITE_FORM, read);
    }
  }
}
