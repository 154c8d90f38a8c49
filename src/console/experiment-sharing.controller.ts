import { Get } from '@nestjs/common';
import { InProject, SignedIn } from '../platform/access/route-access';
import { InPlace, ProjectPlace } from '../platform/access/scope';
import { PageController } from '../account/page-controller';
import { experimentPath } from '../experiments/experiment.store';
import { NEW_LINK_FORM, SHARING_FORM } from './experiment-forms/sharing-forms';
import { ExperimentSubjects } from './experiment-subject';
import { ConsoleForms, FormVisit, OnForm, PostForm } from './forms/console-forms';

/** The forms about the share link of an experiment. */
@SignedIn()
@InProject({ collection: 'experiments', items: [experimentPath] })
@PageController('projects/:project/experiments/:experiment/share')
export class ExperimentSharingController {
  constructor(
    private readonly forms: ConsoleForms,
    private readonly subjects: ExperimentSubjects,
  ) {}

  @Get('/')
  async show(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, SHARING_FORM, await this.subjects.read(place));
  }

  @PostForm('/')
  async switch(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, SHARING_FORM, () => this.subjects.read(place));
  }

  @Get('rotate/')
  async showRotation(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, NEW_LINK_FORM, await this.subjects.read(place));
  }

  @PostForm('rotate/')
  async rotate(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, NEW_LINK_FORM, () => this.subjects.read(place));
  }
}
