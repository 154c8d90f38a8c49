import { Get, Param } from '@nestjs/common';
import { PageController } from '../../account/page-controller';
import { InSession } from '../../account/session.guard';
import type { SignedInUser } from '../../platform/access/actor';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { ConsoleForms, FormVisit, OnForm, PostForm } from '../forms/console-forms';
import { TeamSubjects } from '../members/team-subject';
import {
  NEW_EXCLUSION_GROUP_FORM,
  NEW_EXPERIMENT_FORM,
  NEW_GOAL_FORM,
  NEW_PAGE_FORM,
  NEW_PROJECT_FORM,
} from './creation-forms';
import { NEW_AUDIENCE_FORM } from './new-audience-form';
import { ProjectSubjects } from './project-subject';

/** The forms that create experiments and definitions. */
@SignedIn()
@InProject({ collection: 'record', items: [] })
@PageController('projects/:project')
export class CreationFormsController {
  constructor(
    private readonly forms: ConsoleForms,
    private readonly subjects: ProjectSubjects,
  ) {}

  @Get('experiments/new/')
  async showExperiment(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, NEW_EXPERIMENT_FORM, await this.subjects.readOffering(place));
  }

  @PostForm('experiments/new/')
  async createExperiment(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, NEW_EXPERIMENT_FORM, () => this.subjects.readOffering(place));
  }

  @Get('goals/new/')
  async showGoal(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, NEW_GOAL_FORM, await this.subjects.readOffering(place));
  }

  @PostForm('goals/new/')
  async createGoal(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, NEW_GOAL_FORM, () => this.subjects.readOffering(place));
  }

  @Get('pages/new/')
  async showPage(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, NEW_PAGE_FORM, await this.subjects.read(place));
  }

  @PostForm('pages/new/')
  async createPage(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, NEW_PAGE_FORM, () => this.subjects.read(place));
  }

  @Get('audiences/new/')
  async showAudience(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, NEW_AUDIENCE_FORM, await this.subjects.read(place));
  }

  @PostForm('audiences/new/')
  async createAudience(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, NEW_AUDIENCE_FORM, () => this.subjects.read(place));
  }

  @Get('exclusion-groups/new/')
  async showGroup(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, NEW_EXCLUSION_GROUP_FORM, await this.subjects.read(place));
  }

  @PostForm('exclusion-groups/new/')
  async createGroup(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, NEW_EXCLUSION_GROUP_FORM, () => this.subjects.read(place));
  }
}

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
