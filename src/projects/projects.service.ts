import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Author } from '../platform/access/actor';
import type { ProjectPlace, ProjectScope, TeamScope } from '../platform/access/scope';
import { audit, type AuditAction } from '../audit/audit-log';
import { found } from '../common/errors/api-errors';
import { Created, Listed, Shown } from '../common/http/answers';
import { Tags } from '../common/http/etag';
import { parseListQuery, RawQuery } from '../common/lists/list-query';
import { nameColumns, withIds } from '../common/text/names';
import { nowMicros } from '../common/time/clock';
import { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Config } from '../config/config';
import { Database, Tx } from '../database/database';
import { countUpProjects, requireListMatch } from '../teams/team.store';
import { ClientKeyCache, DefaultEnvironment } from './dependents';
import { changedColumns, difference } from './project-items';
import { ProjectWrite, ProjectWriter, writeScope } from './project-writer';
import {
  type CreateProject,
  ProjectRecord,
  toProjectRecord,
  toUnstoredProject,
  UpdateProject,
  MAX_PROJECTS,
} from './project.record';
import type { Project } from './project.entity';
import { countUpSettings, insertVersionsAndSettings, ProjectStore } from './project.store';
import type { ProjectSettingsRecord } from './settings/project-settings.record';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const DEFAULTS = {
  snippet_revision: 0,
  description: null,
  significance: 95,
  min_conversions: 25,
  min_runtime_days: 7,
  statistics_method: 'sequential',
  statistics_correction: 'none',
  uplift_prior: null,
  currency: null,
  version: 1,
  deleted_at: null,
} as const;

export type NewProject = Pick<Project, 'name' | 'team_id' | 'storage'>;

/** A project with all settings that determine whether a result is conclusive. */
export type ProjectWithMethod = ProjectRecord & Pick<ProjectSettingsRecord, 'correction'>;

@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly store: ProjectStore,
    private readonly writer: ProjectWriter,
    private readonly environment: DefaultEnvironment,
    private readonly clientKeys: ClientKeyCache,
    private readonly config: Config,
    private readonly tags: Tags,
  ) {}

  async list(scope: TeamScope, query: RawQuery): Promise<Listed<ProjectRecord>> {
    const list = parseListQuery(query);
    const { rows, total } = await this.store.listOfTeam(this.database.read, scope, list);
    return new Listed(
      rows.map((row) => this.toRecord(row)),
      total,
      list.page,
    );
  }

  show(scope: Pick<ProjectPlace, 'projectId'>): Promise<Shown<ProjectRecord>> {
    return this.read(this.database.read, scope.projectId);
  }

  /** A project's record, inside or outside a transaction. */
  async read(manager: EntityManager, projectId: number): Promise<Shown<ProjectRecord>> {
    const row = found(await this.store.findById(manager, projectId));
    return new Shown(this.toRecord(row), row.version, row.id);
  }

  async update(scope: ProjectScope, submission: Submission<UpdateProject>): Promise<Shown<ProjectRecord>> {
    return this.writer.change(writeScope(scope, 'projects'), submission, async (write) => {
      const current = await this.current(write);
      const sent = submission.changesTo({ ...this.toRecord(current) }, write.failures);
      write.failures.throwIfAny();
      const changes = changedColumns(current, sent);
      const row = await this.storeChanges(write, current, changes, 'update', (shown) => this.toRecord(shown));
      return new Shown(this.toRecord(row), row.version);
    });
  }

  /** Whether the project exists and is not deleted. */
  exists(projectId: number): Promise<boolean> {
    return this.store.isLive(this.database.read, projectId);
  }

  /** Sets the statistical method and the correction. */
  setMethod(
    projectId: number,
    method: Pick<Project, 'statistics_method'> & Partial<Pick<Project, 'statistics_correction'>>,
    author: Author,
  ): Promise<ProjectWithMethod> {
    const toRecord = (row: Project): ProjectWithMethod => ({
      ...this.toRecord(row),
      correction: row.statistics_correction,
    });
    return this.writer.change({ projectId, author }, null, async (write) => {
      const current = await this.current(write);
      const changes = changedColumns(current, method);
      const row = await this.storeChanges(write, current, changes, 'set-method', toRecord);
      if (row !== current) {
        await countUpSettings(write.tx, projectId, write.now);
      }
      return toRecord(row);
    });
  }

  /** Moves a project to the trash. @throws ValidationError while an experiment in the project is running */
  async remove(scope: ProjectScope): Promise<void> {
    await this.writer.change(writeScope(scope, 'projects'), null, async (write) => {
      const current = await this.current(write);
      const running = await this.store.runningExperiments(write.tx, current.id);
      if (running.length > 0) {
        const reason = `A project with running experiments cannot be deleted: ${withIds(running)}.`;
        write.failures.add('experiments', reason, 'IN_USE');
      }
      write.failures.throwIfAny();
      await this.store.update(write.tx, current.id, { deleted_at: write.now });
      await this.store.endSchedules(write.tx, current.id);
      write.touched('experiments');
      write.changed('record', {
        action: 'delete',
        itemType: 'project',
        itemId: current.id,
        before: this.toRecord(current),
        after: null,
      });
    });
    this.clientKeys.forget(scope.projectId);
  }

  async createInTeam(
    scope: Pick<TeamScope, 'teamId' | 'actor' | 'ifMatch'>,
    submission: Submission<CreateProject>,
  ): Promise<Created<ProjectRecord>> {
    const { teamId: team_id, actor } = scope;
    const failures = submission.failures();
    submission.checkReadOnly({ team_id }, failures, UpdateProject);
    failures.throwIfAny();
    const { name = '', storage = 'localStorage' } = submission.fields;
    return this.database.transaction(async (tx) => {
      await requireListMatch(tx, this.tags, scope, 'projects');
      const record = await this.insert(tx, { team_id, name, storage }, actor);
      return new Created(record, DEFAULTS.version, toUnstoredProject).at(`/api/projects/${record.id}`);
    });
  }

  /**
   * Creates a project with its default records. The team must exist.
   * @throws ValidationError if the team already has the maximum number of projects
   */
  create(project: NewProject, author: Author): Promise<ProjectRecord> {
    return this.database.transaction((tx) => this.insert(tx, project, author));
  }

  /**
   * Makes room for one more project in a team. Call this before the project is added to the list of the team, whose
   * version is incremented.
   * @throws ValidationError if the team already has the maximum number of projects
   */
  async takePlace(tx: Tx, teamId: number): Promise<void> {
    // Incrementing the version locks the team, so concurrent requests cannot exceed the limit.
    await countUpProjects(tx, teamId);
    if ((await this.store.countInTeam(tx, teamId)) >= MAX_PROJECTS) {
      const failures = new Failures();
      failures.add('team', `A team can have at most ${MAX_PROJECTS} projects. Delete one first.`);
      failures.throwIfAny();
    }
  }

  private async insert(tx: Tx, project: NewProject, author: Author): Promise<ProjectRecord> {
    const now = nowMicros();
    await this.takePlace(tx, project.team_id);
    const columns = {
      ...DEFAULTS,
      ...nameColumns(project.name),
      team_id: project.team_id,
      storage: project.storage,
      client_key: newClientKey(),
      created_at: now,
      updated_at: now,
    };
    const id = await this.store.insert(tx, columns);
    const record = this.toRecord({ id, ...columns });
    await insertVersionsAndSettings(tx, id, now);
    const write = new ProjectWrite(tx, id, author, new Failures());
    await this.environment.insertDefault(write);
    await audit(tx, author, id, [
      { action: 'create', itemType: 'project', itemId: id, before: null, after: record },
      ...write.notes,
    ]);
    return record;
  }

  /**
   * Stores changed columns and records them for the audit log. If no column has changed, nothing is stored. @returns
   * the current row
   */
  private async storeChanges(
    write: ProjectWrite,
    current: Project,
    changes: Partial<Project>,
    action: AuditAction,
    toRecord: (row: Project) => object,
  ): Promise<Project> {
    if (Object.keys(changes).length === 0) {
      return current;
    }
    const columns = { ...changes, updated_at: write.now };
    await this.store.update(write.tx, current.id, columns);
    const row = { ...current, ...columns, version: current.version + 1 };
    const change = difference(toRecord(current), toRecord(row));
    write.changed('record', { action, itemType: 'project', itemId: current.id, ...change });
    return row;
  }

  private async current({ tx, projectId }: ProjectWrite): Promise<Project> {
    return found(await this.store.findById(tx, projectId));
  }

  private toRecord(row: Project): ProjectRecord {
    return toProjectRecord(row, this.config.publicUrl);
  }
}

/** `pk_` followed by 24 characters. */
function newClientKey(): string {
  return `pk_${Array.from({ length: 24 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}
