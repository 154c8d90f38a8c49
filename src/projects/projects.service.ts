import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Author } from '../access/actor';
import type { ProjectScope, TeamScope } from '../access/scope';
import { audit } from '../audit/audit-log';
import { NotFoundError } from '../common/errors/api-errors';
import { Listed, Shown } from '../common/freshness/answers';
import { parseListQuery, RawQuery } from '../common/lists/list-query';
import { nameColumns } from '../common/text/names';
import { nowMicros } from '../common/time/clock';
import { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Config } from '../config/config';
import { Database, Tx } from '../database/database';
import { listRows } from '../database/listing';
import { RowStore } from '../database/row-store';
import { ItemObservers } from './item-observers';
import { changedColumns, difference } from './project-items';
import { ProjectWrite, ProjectWriter, writeScope } from './project-writer';
import type { UpdateProject } from './project.dto';
import { Project } from './project.entity';
import { ProjectRecord, toProjectRecord } from './project.record';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const DEFAULTS = {
  snippet_revision: 0,
  description: null,
  significance: 95,
  min_conversions: 25,
  min_runtime_days: 7,
  statistics_method: 'sequential',
  statistics_correction: 'none',
  version: 1,
  deleted_at: null,
} as const;

export type NewProject = Pick<Project, 'name' | 'team_id' | 'storage'>;

/** A project with the whole rule that decides when its results are certain. */
export type ProjectWithMethod = ProjectRecord & Pick<Project, 'statistics_correction'>;

@Injectable()
export class ProjectsService {
  private readonly store: RowStore<Project>;

  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly observers: ItemObservers,
    private readonly config: Config,
  ) {
    this.store = new RowStore(database, Project);
  }

  async list(scope: TeamScope, query: RawQuery): Promise<Listed<ProjectRecord>> {
    const list = parseListQuery(query);
    const inTeam = { sql: 'team_id = ? AND deleted_at IS NULL', parameters: [scope.teamId] };
    const { rows, total } = await listRows(
      this.database.read,
      this.store,
      this.store.columnNames,
      inTeam,
      list,
    );
    return new Listed(
      rows.map((row) => this.toRecord(row as Project)),
      total,
      list.page,
    );
  }

  async show(scope: ProjectScope): Promise<Shown<ProjectRecord>> {
    const row = await this.store.findById(this.database.read, scope.projectId);
    if (row === null) {
      throw new NotFoundError();
    }
    return new Shown(this.toRecord(row), row.version);
  }

  async update(scope: ProjectScope, submission: Submission<UpdateProject>): Promise<Shown<ProjectRecord>> {
    return this.writer.change(writeScope(scope, 'projects'), submission, async (write) => {
      const current = await this.current(write);
      submission.checkReadOnly({ ...this.toRecord(current) }, write.failures);
      write.failures.throwIfAny();
      return this.storeChanges(write, current, changedColumns(current, submission.fields));
    });
  }

  /** Is there a live project with this id? */
  async exists(projectId: number): Promise<boolean> {
    return (await this.store.count(this.database.read, 'id = ? AND deleted_at IS NULL', [projectId])) > 0;
  }

  /** Chooses the rule that decides when a result is certain. */
  setMethod(
    projectId: number,
    method: Pick<Project, 'statistics_method'> & Partial<Pick<Project, 'statistics_correction'>>,
    author: Author,
  ): Promise<ProjectWithMethod> {
    const toRecord = (row: Project): ProjectWithMethod => ({
      ...this.toRecord(row),
      statistics_correction: row.statistics_correction,
    });
    return this.writer.change({ projectId, author }, null, async (write) => {
      const current = await this.current(write);
      const before = toRecord(current);
      const changes = changedColumns(current, method);
      if (Object.keys(changes).length === 0) {
        return before;
      }
      const columns = { ...changes, updated_at: write.now };
      await this.store.update(write.tx, projectId, columns);
      const record = toRecord({ ...current, ...columns });
      const change = difference(before, record);
      write.changed('record', { action: 'set-method', itemType: 'project', itemId: projectId, ...change });
      return record;
    });
  }

  /** Moves a project to the trash; refused while something in it forbids it. */
  async remove(scope: ProjectScope): Promise<void> {
    return this.writer.change(writeScope(scope, 'projects'), null, async (write) => {
      const current = await this.current(write);
      await this.observers.beforeDelete(write, 'record', current);
      write.failures.throwIfAny();
      await this.store.update(write.tx, current.id, { deleted_at: write.now });
      write.changed('record', {
        action: 'delete',
        itemType: 'project',
        itemId: current.id,
        before: this.toRecord(current),
        after: null,
      });
    });
  }

  /** Makes a project with what every project has. The team must exist. */
  create(project: NewProject, author: Author): Promise<ProjectRecord> {
    return this.database.transaction(async (tx) => {
      const now = nowMicros();
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
      await insertVersions(tx, id);
      const write = new ProjectWrite(tx, id, new Failures());
      await this.observers.afterCreate(write, 'record');
      const note = { action: 'create', itemType: 'project', itemId: id, before: null, after: record };
      await audit(tx, author, id, [note, ...write.notes]);
      await tx.query('UPDATE teams SET projects_version = projects_version + 1 WHERE id = ?', [
        project.team_id,
      ]);
      return record;
    });
  }

  private async storeChanges(
    write: ProjectWrite,
    current: Project,
    changes: Partial<Project>,
  ): Promise<Shown<ProjectRecord>> {
    const before = this.toRecord(current);
    if (Object.keys(changes).length === 0) {
      return new Shown(before, current.version);
    }
    const columns = { ...changes, updated_at: write.now };
    await this.store.update(write.tx, current.id, columns);
    const record = this.toRecord({ ...current, ...columns });
    write.changed('record', {
      action: 'update',
      itemType: 'project',
      itemId: current.id,
      ...difference(before, record),
    });
    return new Shown(record, current.version + 1);
  }

  private async current({ tx, projectId }: ProjectWrite): Promise<Project> {
    const row = await this.store.findById(tx, projectId);
    if (row === null) {
      throw new NotFoundError();
    }
    return row;
  }

  private toRecord(row: Project): ProjectRecord {
    return toProjectRecord(row, this.config.publicUrl);
  }
}

/** `pk_` and 24 characters. */
function newClientKey(): string {
  return `pk_${Array.from({ length: 24 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

async function insertVersions(tx: Tx, projectId: number): Promise<void> {
  await tx.query(
    `INSERT INTO project_versions (project_id, version, experiments, audiences, pages, goals, environments)
     VALUES (?, 1, 1, 1, 1, 1, 1)`,
    [projectId],
  );
}
