import { Get } from '@nestjs/common';
import { InProject, SignedIn } from '../platform/access/route-access';
import { InPlace, PathItem, ProjectPlace } from '../platform/access/scope';
import { PageController } from '../account/page-controller';
import { NotFoundError } from '../common/errors/api-errors';
import { experimentPath } from '../experiments/experiment.store';
import { DELETE_FORM } from './experiment-forms/delete-form';
import { ExperimentSubjects } from './experiment-subject';
import { ConsoleForms, FormVisit, OnForm, PostForm } from './forms/console-forms';
import { projectPath } from './pages/console-page';

/** Includes deleted experiments, because a form that is submitted twice finds its experiment deleted. */
const anyExperimentPath: PathItem = {
  ...experimentPath,
  columns: [...(experimentPath.columns ?? []), 'deleted_at'],
  isKeptInTrash: false,
};

/** The form that moves an experiment to the trash. */
@SignedIn()
@InProject({ collection: 'experiments', items: [anyExperimentPath] })
@PageController('projects/:project/experiments/:experiment/delete')
export class ExperimentRemovalController {
  constructor(
    private readonly forms: ConsoleForms,
    private readonly subjects: ExperimentSubjects,
  ) {}

  @Get('/')
  async show(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    if (isDeleted(place)) {
      throw new NotFoundError();
    }
    this.forms.show(visit, DELETE_FORM, await this.subjects.read(place));
  }

  @PostForm('/')
  async remove(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    if (isDeleted(place)) {
      this.forms.redirect(visit, { path: projectPath(place.projectId), notice: 'deleted' });
      return;
    }
    await this.forms.submit(visit, DELETE_FORM, () => this.subjects.read(place));
  }
}

const isDeleted = ({ target }: ProjectPlace): boolean => target.deleted_at !== null;
