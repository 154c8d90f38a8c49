import { Inject, Injectable } from '@nestjs/common';
import type { Author } from '../../platform/access/actor';
import type { ProjectScope } from '../../platform/access/scope';
import type { AuditAction } from '../../audit/audit-log';
import { found } from '../../common/errors/api-errors';
import { Created, Shown, withoutId } from '../../common/http/answers';
import { nameColumns } from '../../common/text/names';
import { code } from '../../common/validation/checks';
import { checkCondition } from '../../common/validation/condition-code';
import { runCheck } from '../../common/validation/fields';
import type { Submission } from '../../common/validation/submission';
import { checkApiNameChange, newApiName } from '../../projects/api-name.store';
import { DefaultEnvironment, ExperimentAttachments } from '../../projects/dependents';
import { changedColumns, difference, Kept, ProjectItems } from '../../projects/project-items';
import { ProjectWrite, ProjectWriter, writeScope } from '../../projects/project-writer';
import { siblingsOf } from '../../projects/resources/resource';
import { EVERYWHERE } from './environment-code';
import {
  type CreateEnvironment,
  EnvironmentRecord,
  toEnvironmentRecord,
  type UpdateEnvironment,
} from './environment.record';
import { Environment } from './environment.entity';
import { ENVIRONMENTS, MAX_ENVIRONMENTS } from './environments.resource';

export type EnvironmentFields = Pick<Environment, 'name' | 'code' | 'is_default'>;

/** What other environments give up in the same transaction. */
export interface Freed {
  /** The names of environments that will be renamed or deleted, by id. */
  names: ReadonlyMap<number, string>;
  /** Number of environments that will be deleted. */
  places: number;
}

const NOTHING: Freed = { names: new Map(), places: 0 };

type NewFields = EnvironmentFields & { api_name?: string };

/** Changes environments, for team admins and for the admin command, which finds environments by name. */
@Injectable()
export class EnvironmentsService implements DefaultEnvironment {
  constructor(
    @Inject(ENVIRONMENTS.items) private readonly items: ProjectItems<Environment, EnvironmentRecord>,
    private readonly writer: ProjectWriter,
    private readonly attachments: ExperimentAttachments,
  ) {}

  async insertDefault(write: ProjectWrite): Promise<void> {
    await this.insert(write, { name: 'Production', code: EVERYWHERE, is_default: true });
  }

  createInProject(
    scope: ProjectScope,
    submission: Submission<CreateEnvironment>,
    freed: Freed = NOTHING,
  ): Promise<Created<EnvironmentRecord>> {
    const { projectId } = scope;
    return this.writer.change(writeScope(scope, 'projects'), submission, async (write) => {
      submission.checkReadOnly({ project_id: projectId }, write.failures);
      const record = await this.insert(write, newFields(submission.fields), undefined, freed);
      return new Created(record, 1, withoutId).at(`/api/projects/${projectId}/environments/${record.id}`);
    });
  }

  /** Inserts a deleted environment again, with its id. */
  async restoreOne(
    { projectId, actor }: ProjectScope,
    submission: Submission<CreateEnvironment>,
    kept: Kept,
  ): Promise<void> {
    await this.writer.change({ projectId, author: actor }, submission, (write) => {
      // The record never had a version this high, so its old ETags stay invalid.
      const version = (write.version ?? 0) + 1;
      return this.insert(write, newFields(submission.fields), { ...kept, version });
    });
  }

  create(projectId: number, fields: Partial<EnvironmentFields>, author: Author): Promise<EnvironmentRecord> {
    return this.writer.change({ projectId, author }, null, (write) => this.insert(write, newFields(fields)));
  }

  updateOne(
    scope: ProjectScope,
    submission: Submission<UpdateEnvironment>,
    freed: Freed = NOTHING,
  ): Promise<Shown<EnvironmentRecord>> {
    return this.writer.change(writeScope(scope, ENVIRONMENTS.collection), submission, async (write) => {
      const current = await this.findById(write, scope.target.id);
      const sent = submission.changesTo({ ...toEnvironmentRecord(current) }, write.failures);
      return this.change(write, current, sent, freed);
    });
  }

  /** Changes the environment with this name. A new default replaces the current one. */
  update(
    projectId: number,
    name: string,
    changes: Partial<EnvironmentFields>,
    author: Author,
  ): Promise<EnvironmentRecord> {
    return this.writer.change({ projectId, author }, null, async (write) => {
      const { record } = await this.change(write, await this.findByName(write, name), changes);
      return record;
    });
  }

  async removeOne(scope: ProjectScope): Promise<void> {
    await this.writer.change(writeScope(scope, ENVIRONMENTS.collection), null, async (write) =>
      this.delete(write, await this.findById(write, scope.target.id)),
    );
  }

  /**
   * Deletes the environment with this name, unless it is the default or the only environment of a running experiment.
   */
  remove(projectId: number, name: string, author: Author): Promise<EnvironmentRecord> {
    return this.writer.change({ projectId, author }, null, async (write) =>
      this.delete(write, await this.findByName(write, name)),
    );
  }

  /** Inserts an environment as part of a write. @param kept the values of a restored environment */
  private async insert(
    write: ProjectWrite,
    fields: NewFields,
    kept?: Kept & { version: number },
    freed: Freed = NOTHING,
  ): Promise<EnvironmentRecord> {
    const { tx, projectId, failures, now } = write;
    checkCode(fields.code, write);
    await this.requireFreeName(write, fields.name, freed.names);
    await this.requireRoom(write, freed);
    const apiName = await newApiName(tx, siblingsOf(ENVIRONMENTS, projectId), fields, failures);
    failures.throwIfAny();
    if (fields.is_default) {
      await this.unsetDefault(write);
    }
    const columns = {
      ...nameColumns(fields.name),
      project_id: projectId,
      api_name: apiName,
      is_default: fields.is_default,
      code: fields.code,
      version: 1,
      created_at: now,
      updated_at: now,
      ...kept,
    };
    const inserted = await this.items.store.insert(tx, columns);
    const id = kept?.id ?? inserted;
    const record = toEnvironmentRecord({ ...columns, id });
    note(write, kept === undefined ? 'create' : 'restore', id, { before: null, after: record });
    return record;
  }

  private async change(
    write: ProjectWrite,
    current: Environment,
    changes: Partial<NewFields>,
    freed: Freed = NOTHING,
  ): Promise<Shown<EnvironmentRecord>> {
    const before = toEnvironmentRecord(current);
    await this.checkChanges(write, current, changes, freed);
    write.failures.throwIfAny();
    const columns = changedColumns<Environment>(current, changes);
    if (Object.keys(columns).length === 0) {
      return new Shown(before, current.version);
    }
    if (columns.is_default === true) {
      await this.unsetDefault(write);
    }
    await this.items.store.update(write.tx, current.id, { ...columns, updated_at: write.now });
    const record = toEnvironmentRecord({ ...current, ...columns, updated_at: write.now });
    note(write, 'update', current.id, difference(before, record));
    await this.attachments.showChange(write, ENVIRONMENTS.collection, current.id, Object.keys(columns));
    return new Shown(record, current.version + 1);
  }

  /** Clears the default flag on the project's default environment. */
  private async unsetDefault(write: ProjectWrite): Promise<void> {
    const rows = await this.items.store.ofProject(write.tx, write.projectId);
    for (const row of rows.filter(({ is_default }) => is_default)) {
      const changes = { is_default: false, updated_at: write.now };
      await this.items.store.update(write.tx, row.id, changes);
      const record = toEnvironmentRecord({ ...row, ...changes });
      note(write, 'update', row.id, difference(toEnvironmentRecord(row), record));
    }
  }

  private async checkChanges(
    write: ProjectWrite,
    current: Environment,
    { name = current.name, code: script, is_default, api_name }: Partial<NewFields>,
    freed: Freed,
  ): Promise<void> {
    const { tx, projectId, failures } = write;
    if (script !== undefined && script !== current.code) {
      checkCode(script, write);
    }
    if (name !== current.name) {
      await this.requireFreeName(write, name, new Map([...freed.names, [current.id, current.name]]));
    }
    if (current.is_default && is_default === false) {
      failures.add(
        'is_default',
        'Every project has a default environment. Set is_default to true on another one instead.',
      );
    }
    const siblings = siblingsOf(ENVIRONMENTS, projectId);
    await checkApiNameChange(tx, siblings, current.api_name, api_name, failures);
  }

  private async delete(write: ProjectWrite, current: Environment): Promise<EnvironmentRecord> {
    if (current.is_default) {
      write.failures.add(
        'environment',
        'The default environment cannot be deleted; make another one the default first.',
      );
    }
    await this.attachments.release(write, ENVIRONMENTS.collection, current.id);
    write.failures.throwIfAny();
    await this.items.store.delete(write.tx, current.id);
    const record = toEnvironmentRecord(current);
    note(write, 'delete', current.id, { before: record, after: null });
    return record;
  }

  private async requireFreeName(
    { tx, projectId, failures }: ProjectWrite,
    name: string,
    freed: Freed['names'],
  ): Promise<void> {
    const namesakes = await this.items.store.namesakes(tx, projectId, name);
    if (namesakes.some((row) => freed.get(row.id) !== row.name)) {
      failures.add('name', `The project already has an environment named ${name}.`);
    }
  }

  private async requireRoom({ tx, projectId, failures }: ProjectWrite, { places }: Freed): Promise<void> {
    const remaining = (await this.items.store.countOfProject(tx, projectId)) - places;
    if (remaining >= MAX_ENVIRONMENTS) {
      failures.add(
        'environment',
        `A project can have at most ${MAX_ENVIRONMENTS} environments. Delete one first.`,
      );
    }
  }

  private async findById({ tx }: ProjectWrite, id: number): Promise<Environment> {
    return found(await this.items.store.findById(tx, id));
  }

  private async findByName({ tx, projectId }: ProjectWrite, name: string): Promise<Environment> {
    return found(await this.items.store.findByName(tx, projectId, name));
  }
}

function newFields(fields: Partial<CreateEnvironment>): NewFields {
  const { name = '', code: script = EVERYWHERE, is_default = false, api_name } = fields;
  return { name, code: script, is_default, ...(api_name !== undefined && { api_name }) };
}

function checkCode(script: string, { failures }: ProjectWrite): void {
  failures.addAll('code', runCheck(code(checkCondition), 'code', script));
}

function note(
  write: ProjectWrite,
  action: AuditAction,
  itemId: number,
  change: { before: object | null; after: object | null },
): void {
  write.changed('environments', { action, itemType: 'environment', itemId, ...change });
}
