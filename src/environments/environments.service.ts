import { Injectable } from '@nestjs/common';
import type { Author } from '../access/actor';
import { NotFoundError } from '../common/errors/api-errors';
import { nameColumns } from '../common/text/names';
import { code } from '../common/validation/checks';
import { checkFunctionBody } from '../common/validation/code';
import { runCheck } from '../common/validation/fields';
import { Database } from '../database/database';
import { newApiName } from '../projects/api-names';
import { ItemObservers } from '../projects/item-observers';
import { changedColumns, difference, ProjectItems } from '../projects/project-items';
import { ProjectWrite, ProjectWriter } from '../projects/project-writer';
import { Environment } from './environment.entity';
import { EnvironmentRecord, toEnvironmentRecord } from './environment.record';

export type EnvironmentFields = Pick<Environment, 'name' | 'code' | 'is_default'>;

/** Environments are read through the API and written by the admin command. */
@Injectable()
export class EnvironmentsService {
  readonly items: ProjectItems<Environment, EnvironmentRecord>;

  constructor(
    database: Database,
    private readonly writer: ProjectWriter,
    private readonly observers: ItemObservers,
  ) {
    this.items = new ProjectItems(database, writer, observers, {
      entity: Environment,
      collection: 'environments',
      type: 'environment',
      toRecord: toEnvironmentRecord,
    });
  }

  /** Makes an environment in a write that is under way. */
  async insert(write: ProjectWrite, fields: EnvironmentFields): Promise<EnvironmentRecord> {
    const { tx, projectId, failures, now } = write;
    const siblings = {
      table: 'environments',
      where: 'project_id = ?',
      parameters: [projectId],
      fallback: 'environment',
    };
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
        await this.dethrone(write);
      }
      return this.insert(write, fields);
    });
  }

  /** Changes the environment with this name; being made the default takes that from the other. */
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
        await this.dethrone(write);
      }
      await this.items.store.update(write.tx, current.id, { ...columns, updated_at: write.now });
      const record = toEnvironmentRecord({ ...current, ...columns, updated_at: write.now });
      note(write, 'update', current.id, difference(toEnvironmentRecord(current), record));
      await this.observers.afterChange(write, 'environments', current.id, Object.keys(columns));
      return record;
    });
  }

  /** Deletes the environment with this name, unless it is the default or a running experiment has no other. */
  remove(projectId: number, name: string, author: Author): Promise<EnvironmentRecord> {
    return this.writer.change({ projectId, author }, null, async (write) => {
      const current = await this.findByName(write, name);
      if (current.is_default) {
        write.failures.add(
          'environment',
          'The default environment cannot be deleted; make another one the default first.',
        );
      }
      await this.observers.beforeDelete(write, 'environments', current);
      write.failures.throwIfAny();
      await this.items.store.delete(write.tx, current.id);
      const record = toEnvironmentRecord(current);
      note(write, 'delete', current.id, { before: record, after: null });
      return record;
    });
  }

  private async findByName(write: ProjectWrite, name: string): Promise<Environment> {
    const { name_key: key } = nameColumns(name);
    const [row] = await this.items.store.find(write.tx, 'project_id = ? AND name_key = ?', [
      write.projectId,
      key,
    ]);
    if (row === undefined) {
      throw new NotFoundError();
    }
    return row;
  }

  /** Takes the rank of default from whichever environment has it. */
  private async dethrone(write: ProjectWrite): Promise<void> {
    await write.tx.query(
      'UPDATE environments SET is_default = 0, version = version + 1, updated_at = ? WHERE project_id = ? AND is_default = 1',
      [write.now, write.projectId],
    );
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
