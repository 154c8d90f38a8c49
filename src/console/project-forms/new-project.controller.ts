import { Get, Param } from '@nestjs/common';
import type { SignedInUser } from '../../platform/access/actor';
import { SignedIn } from '../../platform/access/route-access';
import { PageController } from '../../account/page-controller';
import { InSession } from '../../account/session.guard';
import { ConsoleForms, FormVisit, OnForm, PostForm } from '../forms/console-forms';
import { TeamSubjects } from '../members/team-subject';
import { NEW_PROJECT_FORM } from './new-project-form';

/** The form that creates a project, for admins of the team. */
@SignedIn('team')
@PageController('teams/:team/projects')
export class NewProjectController {
  constructor(
    private readonly forms: ConsoleForms,
    private readonly subjects: TeamSubjects,
  ) {}

  @Get('new/')
  async show(
    @InSession() { userId }: SignedInUser,
    @Param('team') team: string,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    this.forms.show(visit, NEW_PROJECT_FORM, await this.subjects.read(userId, team));
  }

  @PostForm('new/')
  async create(
    @InSession() { userId }: SignedInUser,
    @Param('team') team: string,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    await this.forms.submit(visit, NEW_PROJECT_FORM, () => this.subjects.read(userId, team));
  }
}
