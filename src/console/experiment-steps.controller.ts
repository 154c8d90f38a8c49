import { Get, Query } from '@nestjs/common';
import { InProject, SignedIn } from '../platform/access/route-access';
import { InPlace, ProjectPlace } from '../platform/access/scope';
import { PageController } from '../account/page-controller';
import { Form } from '../account/session.guard';
import type { FormFields } from '../common/http/json-body';
import { firstValue, type RawQuery } from '../common/lists/list-query';
import { experimentPath } from '../experiments/experiment.store';
import { STEP_FORM, StepSubject } from './experiment-forms/step-form';
import { ExperimentSubjects } from './experiment-subject';
import { ConsoleForms, FormVisit, OnForm, PostForm } from './forms/console-forms';
import { NextStepReader } from './next-step-reader';
import { isCompletion } from './next-steps';
import { experimentPagePath } from './pages/console-page';

/** The steps that add the parts an experiment needs to start. */
@SignedIn()
@InProject({ collection: 'experiments', items: [experimentPath] })
@PageController('projects/:project/experiments/:experiment')
export class ExperimentStepsController {
  constructor(
    private readonly forms: ConsoleForms,
    private readonly subjects: ExperimentSubjects,
    private readonly steps: NextStepReader,
  ) {}

  @Get('step/')
  async showStep(
    @InPlace() place: ProjectPlace,
    @Query() query: RawQuery,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    const subject = await this.find(place, firstValue(query, 'step'));
    if (subject === null) {
      this.forms.leave(visit, pathOf(place));
      return;
    }
    this.forms.show(visit, STEP_FORM, subject);
  }

  @PostForm('step/')
  async takeStep(
    @InPlace() place: ProjectPlace,
    @Form() { step }: FormFields,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    const subject = await this.find(place, step);
    if (subject === null) {
      // The step was already completed, for example because the form was submitted twice.
      this.forms.redirect(visit, { path: pathOf(place), notice: 'saved' });
      return;
    }
    await this.forms.submit(visit, STEP_FORM, async () => subject);
  }

  private async find(place: ProjectPlace, key: string | undefined): Promise<StepSubject | null> {
    const subject = await this.subjects.read(place);
    const steps = await this.steps.read(place, subject);
    const step = steps.find((each) => each.key === key && isCompletion(each));
    return step === undefined ? null : { ...subject, step };
  }
}

const pathOf = ({ projectId, target }: ProjectPlace): string => experimentPagePath(projectId, target.id);
