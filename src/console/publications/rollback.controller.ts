import { Get } from '@nestjs/common';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { PageController } from '../../account/page-controller';
import { Tags } from '../../common/http/etag';
import { ProjectsService } from '../../projects/projects.service';
import { revisionPath } from '../../publishing/changes/publication-history.store';
import { ConsoleForms, FormVisit, OnForm, PostForm } from '../forms/console-forms';
import { ExpectedChanges } from './changes';
import { ROLLBACK_FORM, RollbackSubject } from './rollback-form';

/** The form that makes an earlier revision live again. */
@SignedIn()
@InProject({ collection: 'record', items: [revisionPath] })
@PageController('projects/:project/publications/:revision')
export class RollbackPagesController {
  constructor(
    private readonly forms: ConsoleForms,
    private readonly projects: ProjectsService,
    private readonly expected: ExpectedChanges,
    private readonly tags: Tags,
  ) {}

  @Get('rollback/')
  async show(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, ROLLBACK_FORM, await this.read(place));
  }

  @PostForm('rollback/')
  async rollBack(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, ROLLBACK_FORM, () => this.read(place));
  }

  /** Reads the project before the changes, so that its ETag is not newer than the displayed data. */
  private async read(place: ProjectPlace): Promise<RollbackSubject> {
    const { projectId, role, items } = place;
    const revision = items.revision.id;
    const project = await this.projects.show(place);
    return {
      role,
      project: project.record,
      projectTag: this.tags.record(project.id, project.version),
      revision,
      expected: await this.expected.read(projectId, revision),
    };
  }
}
