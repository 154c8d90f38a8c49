import { Inject, Injectable } from '@nestjs/common';
import type { Author } from '../access/actor';
import { NotFoundError } from '../common/errors/api-errors';
import { nameColumns } from '../common/text/names';
import { code } from '../common/validation/checks';
import { checkFunctionBody } from '../common/validation/code';
import { runCheck } from '../common/validation/fields';
import { newApiName } from '../projects/api-names';
import { DefaultEnvironment, ExperimentAttachments } from '../projects/dependents';
import { changedColumns, difference, ProjectItems } from '../projects/project-items';
import { ProjectWrite, ProjectWriter } from '../projects/project-writer';
import { siblingsOf } from '../projects/resources/resource';
import { Environment } from './environment.entity';
import { EnvironmentRecord, toEnvironmentRecord } from './environment.record';
import { unsetDefault } from './environment.store';
import { ENVIRONMENTS } from './environments.resource';

export type EnvironmentFields = Pick<Environment, 'name' | 'code' | 'is_default'>;

/** Environments are read through the API and written by the admin command. */
@Injectable()
export class EnvironmentsService implements DefaultEnvironment {
  constructor(
    @Inject(ENVIRONMENTS.items) private readonly items: ProjectItems<Environment, EnvironmentRecord>,
    private readonly writer: ProjectWriter,
    private readonly attachments: ExperimentAttachments,
  ) {}

  async insertDefault(write: ProjectWrite): Promise<void> {
    await this.insert(write, { name: 'Production', code: 'return true;', is_default: true });
  }

  /** Makes an environment in a write that is under way. */
  async insert(write: ProjectWrite, fields: EnvironmentFields): Promise<EnvironmentRecord> {
    const { tx, projectId, failures, now } = write;
    const siblings = siblingsOf(ENVIRONMENTS, projectId);
    checkCode(fields.code, write);
    failures.throwIfAny();
    const columns = {
      ...nameColumns(fields.name),
      project_id: projectId,
      api_name: await newApiName(tx, siblings, { name: fields.name }, failures),
      is_default: fields.is_default,
      code: fields.code,
      version: 1,
      created_at: now,
      updated_at: now,
    };
    const id = await this.items.store.insert(tx, columns);
    const record = toEnvironmentRecord({ id, ...columns });
    note(write, 'create', id, { before: null, after: record });
    return record;
  }

  create(projectId: number, fields: EnvironmentFields, author: Author): Promise<EnvironmentRecord> {
    return this.writer.change({ projectId, author }, null, async (write) => {
      if (fields.is_default) {
        await unsetDefault(write.tx, write.projectId, write.now);
      }
      return this.insert(write, fields);
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
      const current = await this.findByName(write, name);
      const columns = changedColumns<Environment>(current, changes);
      checkCode(changes.code ?? current.code, write);
      write.failures.throwIfAny();
      if (Object.keys(columns).length === 0) {
        return toEnvironmentRecord(current);
      }
      if (columns.is_default === true) {
        await unsetDefault(write.tx, write.projectId, write.now);
      }
      await this.items.store.update(write.tx, current.id, { ...columns, updated_at: write.now });
      const record = toEnvironmentRecord({ ...current, ...columns, updated_at: write.now });
      note(write, 'update', current.id, difference(toEnvironmentRecord(current), record));
      await this.attachments.showChange(write, 'environments', current.id, Object.keys(columns));
      return record;
    });
  }

  /** Deletes the environment with this name, unless it is the default or the only one of a running experiment. */
  remove(projectId: number, name: string, author: Author): Promise<EnvironmentRecord> {
    return this.writer.change({ projectId, author }, null, async (write) => {
      const current = await this.findByName(write, name);
      if (current.is_default) {
        write.failures.add(
          'environment',
          'The default environment cannot be deleted; make another one the default first.',
        );
      }
      await this.attachments.release(write, 'environments', current.id);
      write.failures.throwIfAny();
      await this.items.store.delete(write.tx, current.id);
      const record = toEnvironmentRecord(current);
      note(write, 'delete', current.id, { before: record, after: null });
      return record;
    });
  }

  private async findByName(write: ProjectWrite, name: string): Promise<Environment> {
    const row = await this.items.store.findByName(write.tx, write.projectId, name);
    if (row === null) {
      throw new NotFoundError();
    }
    return row;
  }
}

function checkCode(script: string, { failures }: ProjectWrite): void {
  failures.addAll('code', runCheck(code(checkFunctionBody), 'code', script));
}

function note(
  write: ProjectWrite,
  action: string,
  itemId: number,
  change: { before: object | null; after: object | null },
): void {
  write.changed('environments', { action, itemType: 'environment', itemId, ...change });
}
