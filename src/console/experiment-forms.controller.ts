import { Get, Query } from '@nestjs/common';
import { PageController } from '../account/page-controller';
import { Form } from '../account/session.guard';
import { NotFoundError } from '../common/errors/api-errors';
import type { FormFields } from '../common/http/json-body';
import { firstValue, type RawQuery } from '../common/lists/list-query';
import { experimentPath } from '../experiments/experiment.store';
import { variationPath } from '../experiments/variations/variation.store';
import { InProject, SignedIn } from '../platform/access/route-access';
import { InPlace, PathItem, ProjectPlace } from '../platform/access/scope';
import { ATTACHMENTS_FORM, AttachmentsSubject } from './experiment-forms/attachments-form';
import {
  CLONE_FORM,
  DELETE_FORM,
  PUBLISH_FORM,
  PublishSubject,
  isReached,
  STATUS_FORM,
  statusIn,
  StatusSubject,
} from './experiment-forms/life-cycle-forms';
import { DECISION_FORM } from './experiment-forms/decision-form';
import { EDIT_FORM, EditSubject } from './experiment-forms/edit-form';
import { GUARDRAILS_FORM, GuardrailsSubject } from './experiment-forms/guardrails-form';
import { SCHEDULE_FORM } from './experiment-forms/schedule-form';
import { NEW_LINK_FORM, SHARING_FORM } from './experiment-forms/sharing-forms';
import { NEW_VARIATION_FORM, VARIATION_FORM } from './experiment-forms/variation-form';
import { ExperimentSubjects } from './experiment-subject';
import { ConsoleForms, FormVisit, OnForm, PostForm } from './forms/console-forms';
import { experimentPagePath, projectPath } from './pages/console-page';
import { ProjectSubjects } from './project-forms/project-subject';
import { ExpectedChanges } from './publications/changes';

/** The forms for one experiment. */
@SignedIn()
@InProject({ collection: 'experiments', items: [experimentPath, variationPath] })
@PageController('projects/:project/experiments/:experiment')
export class ExperimentFormsController {
  constructor(
    private readonly forms: ConsoleForms,
    private readonly subjects: ExperimentSubjects,
    private readonly projects: ProjectSubjects,
    private readonly expected: ExpectedChanges,
  ) {}

  @Get('status/')
  async showStatus(
    @InPlace() place: ProjectPlace,
    @Query() query: RawQuery,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    const to = firstValue(query, 'to');
    if (to === '') {
      // After signing in, the user returns to a URL without a query.
      this.forms.leave(visit, experimentPagePath(place.projectId, place.target.id));
      return;
    }
    const subject = await this.move(place, to);
    if (isReached(subject)) {
      // The form would promise to publish the definition, but without a status change, the API does not publish again.
      this.forms.leave(visit, experimentPagePath(place.projectId, place.target.id));
      return;
    }
    this.forms.show(visit, STATUS_FORM, subject);
  }

  @PostForm('status/')
  async changeStatus(
    @InPlace() place: ProjectPlace,
    @Form() { status }: FormFields,
    @OnForm() visit: FormVisit,
  ): Promise<void> {
    await this.forms.submit(visit, STATUS_FORM, () => this.move(place, status));
  }

  @Get('publish/')
  async showPublish(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, PUBLISH_FORM, await this.publication(place));
  }

  @PostForm('publish/')
  async publish(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, PUBLISH_FORM, () => this.publication(place));
  }

  @Get('clone/')
  async showClone(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, CLONE_FORM, await this.subjects.read(place));
  }

  @PostForm('clone/')
  async clone(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, CLONE_FORM, () => this.subjects.read(place));
  }

  @Get('edit/')
  async showEdit(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, EDIT_FORM, await this.editing(place));
  }

  @PostForm('edit/')
  async edit(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, EDIT_FORM, () => this.editing(place));
  }

  @Get('schedule/')
  async showSchedule(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, SCHEDULE_FORM, await this.subjects.read(place));
  }

  @PostForm('schedule/')
  async schedule(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, SCHEDULE_FORM, () => this.subjects.read(place));
  }

  @Get('guardrails/')
  async showGuardrails(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, GUARDRAILS_FORM, await this.guarding(place));
  }

  @PostForm('guardrails/')
  async guard(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, GUARDRAILS_FORM, () => this.guarding(place));
  }

  @Get('attachments/')
  async showAttachments(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, ATTACHMENTS_FORM, await this.attaching(place));
  }

  @PostForm('attachments/')
  async attach(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, ATTACHMENTS_FORM, () => this.attaching(place));
  }

  @Get('decision/')
  async showDecision(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, DECISION_FORM, await this.subjects.read(place));
  }

  @PostForm('decision/')
  async decide(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, DECISION_FORM, () => this.subjects.read(place));
  }

  @Get('variations/new/')
  async showNewVariation(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, NEW_VARIATION_FORM, await this.subjects.read(place));
  }

  @PostForm('variations/new/')
  async addVariation(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, NEW_VARIATION_FORM, () => this.subjects.read(place));
  }

  @Get('variations/:variation/edit/')
  async showVariation(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, VARIATION_FORM, await this.subjects.readVariation(place));
  }

  @PostForm('variations/:variation/edit/')
  async editVariation(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, VARIATION_FORM, () => this.subjects.readVariation(place));
  }

  private async editing(place: ProjectPlace): Promise<EditSubject> {
    const [subject, exclusionGroups] = await Promise.all([
      this.subjects.read(place),
      this.subjects.exclusionGroups(place),
    ]);
    return { ...subject, exclusionGroups };
  }

  private async attaching(place: ProjectPlace): Promise<AttachmentsSubject> {
    const { audiences, goals, pages } = await this.projects.readOffering(place);
    return { ...(await this.subjects.read(place)), audiences, goals, pages };
  }

  private async guarding(place: ProjectPlace): Promise<GuardrailsSubject> {
    const [subject, goals] = await Promise.all([this.subjects.read(place), this.projects.goals(place)]);
    return { ...subject, goals };
  }

  /** Reads the project before the changes, so its ETag is not newer than the displayed data. */
  private async publication(place: ProjectPlace): Promise<PublishSubject> {
    const subject = await this.subjects.read(place);
    return { ...subject, expected: await this.expected.read(place.projectId) };
  }

  /** @throws NotFoundError if the text is not a status */
  private async move(place: ProjectPlace, text: string | undefined): Promise<StatusSubject> {
    const to = statusIn(text);
    if (to === null) {
      throw new NotFoundError();
    }
    return { ...(await this.subjects.read(place)), to };
  }
}

/**
 * Also matches deleted experiments, because by the time the form is submitted again, the experiment is already deleted.
 */
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

/** The forms for an experiment's share link. */
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
