import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ProjectScope } from '../../platform/access/scope';
import { NotFoundError } from '../../common/errors/api-errors';
import { Shown } from '../../common/http/answers';
import type { Submission } from '../../common/validation/submission';
import { Database } from '../../database/database';
import { ClientKeyCache } from '../dependents';
import { changedFields, difference } from '../project-items';
import { ProjectWrite, ProjectWriter, writeScope } from '../project-writer';
import type { Project } from '../project.entity';
import { ProjectStore } from '../project.store';
import {
  JudgedBy,
  ProjectSettingsRecord,
  toSettingsRecord,
  type UpdateProjectSettings,
} from './project-settings.record';
import type { ProjectSettings } from './project-settings.entity';
import { ProjectSettingsStore } from './project-settings.store';

interface Rows {
  settings: ProjectSettings;
  project: Project;
}

/**
 * The settings of projects. Collection settings are columns of `project_settings`. Statistics settings and the currency
 * are columns of the project.
 */
@Injectable()
export class ProjectSettingsService {
  constructor(
    private readonly database: Database,
    private readonly store: ProjectSettingsStore,
    private readonly projects: ProjectStore,
    private readonly writer: ProjectWriter,
    private readonly clientKeys: ClientKeyCache,
  ) {}

  async show({ projectId }: Pick<ProjectScope, 'projectId'>): Promise<Shown<ProjectSettingsRecord>> {
    return this.read(this.database.read, projectId);
  }

  /** A project's settings, inside or outside a transaction. */
  async read(manager: EntityManager, projectId: number): Promise<Shown<ProjectSettingsRecord>> {
    const { settings, project } = await this.rows(manager, projectId);
    return new Shown(toSettingsRecord(settings, project), settings.version);
  }

  async update(
    scope: ProjectScope,
    submission: Submission<UpdateProjectSettings>,
  ): Promise<Shown<ProjectSettingsRecord>> {
    const scopeOfWrite = writeScope(scope, this.store.table);
    const shown = await this.writer.change(scopeOfWrite, submission, async (write) => {
      const current = await this.rows(write.tx, scope.projectId);
      const before = toSettingsRecord(current.settings, current.project);
      const sent = submission.changesTo({ ...before }, write.failures);
      write.failures.throwIfAny();
      return this.storeChanges(write, current, sent);
    });
    this.clientKeys.forget(scope.projectId);
    return shown;
  }

  /** Stores changed fields. If no field has changed, nothing is stored. */
  private async storeChanges(
    write: ProjectWrite,
    { settings, project }: Rows,
    { statistics_method, correction, uplift_prior, currency, ...own }: Partial<UpdateProjectSettings>,
  ): Promise<Shown<ProjectSettingsRecord>> {
    const judgedBy: Partial<JudgedBy> = changedFields(project, {
      statistics_method,
      statistics_correction: correction,
      uplift_prior,
      currency,
    });
    const changes = changedFields(settings, own);
    const before = toSettingsRecord(settings, project);
    if (Object.keys(judgedBy).length + Object.keys(changes).length === 0) {
      return new Shown(before, settings.version);
    }
    const columns = { ...changes, updated_at: write.now };
    await this.store.update(write.tx, settings.id, columns);
    if (Object.keys(judgedBy).length > 0) {
      await this.projects.update(write.tx, project.id, { ...judgedBy, updated_at: write.now });
      write.touched('record');
    }
    const record = toSettingsRecord({ ...settings, ...columns }, { ...project, ...judgedBy });
    const change = difference(before, record);
    write.noted({ action: 'update', itemType: 'project_settings', itemId: project.id, ...change });
    return new Shown(record, settings.version + 1);
  }

  private async rows(manager: EntityManager, projectId: number): Promise<Rows> {
    const settings = await this.store.findById(manager, projectId);
    const project = await this.projects.findById(manager, projectId);
    if (settings === null || project === null) {
      throw new NotFoundError();
    }
    return { settings, project };
  }
}
