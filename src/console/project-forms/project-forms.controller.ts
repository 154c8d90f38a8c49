import { Get } from '@nestjs/common';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { PageController } from '../../account/page-controller';
import { ENVIRONMENTS } from '../../resources/environments/environments.resource';
import { ConsoleForms, FormVisit, OnForm, PostForm } from '../forms/console-forms';
import { ADD_ENVIRONMENT_FORM, DELETE_ENVIRONMENT_FORM, ENVIRONMENT_FORM } from './environment-forms';
import { PROJECT_FORM, SETTINGS_FORM } from './project-forms';
import { ProjectSubjects } from './project-subject';

/** The forms that change a project, its settings and its environments. */
@SignedIn()
@InProject({ collection: 'record', items: [ENVIRONMENTS.pathItem] })
@PageController('projects/:project')
export class ProjectFormsController {
  constructor(
    private readonly forms: ConsoleForms,
    private readonly subjects: ProjectSubjects,
  ) {}

  @Get('edit/')
  async showProject(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, PROJECT_FORM, await this.subjects.read(place));
  }

  @PostForm('edit/')
  async changeProject(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, PROJECT_FORM, () => this.subjects.read(place));
  }

  @Get('settings/edit/')
  async showSettings(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, SETTINGS_FORM, await this.subjects.readSettings(place));
  }

  @PostForm('settings/edit/')
  async changeSettings(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, SETTINGS_FORM, () => this.subjects.readSettings(place));
  }

  @Get('settings/environments/add/')
  async showNewEnvironment(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, ADD_ENVIRONMENT_FORM, await this.subjects.read(place));
  }

  @PostForm('settings/environments/add/')
  async addEnvironment(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, ADD_ENVIRONMENT_FORM, () => this.subjects.read(place));
  }

  @Get('settings/environments/:environment/edit/')
  async showEnvironment(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, ENVIRONMENT_FORM, await this.subjects.readEnvironment(place));
  }

  @PostForm('settings/environments/:environment/edit/')
  async changeEnvironment(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, ENVIRONMENT_FORM, () => this.subjects.readEnvironment(place));
  }

  @Get('settings/environments/:environment/delete/')
  async showEnvironmentRemoval(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, DELETE_ENVIRONMENT_FORM, await this.subjects.readEnvironment(place));
  }

  @PostForm('settings/environments/:environment/delete/')
  async removeEnvironment(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, DELETE_ENVIRONMENT_FORM, () => this.subjects.readEnvironment(place));
  }
}
