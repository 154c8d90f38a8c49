import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import type { ProjectScope } from '../access/scope';
import { NotFoundError } from '../common/errors/api-errors';
import { Created, Listed, Shown, withoutId } from '../common/freshness/answers';
import { parseListQuery, RawQuery } from '../common/lists/list-query';
import { nameColumns } from '../common/text/names';
import type { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import type { NamedRow } from '../database/rows';
import { checkApiNameChange, newApiName } from './api-names';
import { ExperimentAttachments } from './dependents';
import { ProjectItemStore } from './project-item.store';
import { ProjectWrite, ProjectWriter, writeScope } from './project-writer';
import {
  NamedFields,
  NamedRecord,
  OwnColumns,
  ProjectItem,
  Resource,
  ResourceWrites,
  RuleContext,
  siblingsOf,
} from './resources/resource';

/** List, find, create, update and delete for all standard resources. */
export class ProjectItems<
  E extends ProjectItem,
  R extends NamedRecord,
  C extends NamedFields = NamedFields,
  U extends NamedFields = NamedFields,
> {
  readonly store: ProjectItemStore<E>;

  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly attachments: ExperimentAttachments,
    private readonly kind: Resource<E, R, C, U>,
  ) {
    this.store = new ProjectItemStore(database, kind.entity);
  }

  async list(scope: ProjectScope, query: RawQuery): Promise<Listed<R>> {
    const list = parseListQuery(query);
    const { rows, total } = await this.store.listOfProject(this.database.read, scope.projectId, list);
    return new Listed(
      rows.map((row) => this.kind.toRecord(row)),
      total,
      list.page,
    );
  }

  async show(scope: ProjectScope): Promise<Shown<R>> {
    const row = await this.store.findById(this.database.read, scope.target.id);
    return this.shown(row);
  }

  /** The oldest record with exactly this name. */
  async findByName(scope: ProjectScope, submission: Submission<NamedFields>): Promise<Shown<R>> {
    submission.failures().throwIfAny();
    const name = submission.fields.name ?? '';
    return this.shown(await this.store.findByName(this.database.read, scope.projectId, name));
  }

  async create(scope: ProjectScope, submission: Submission<C>): Promise<Created<R>> {
    const { projectId } = scope;
    const { fields } = submission;
    const prepareColumns = async (manager: EntityManager, failures: Failures): Promise<OwnColumns<E>> => {
      submission.checkReadOnly({ project_id: projectId }, failures);
      return this.newColumns(fields, { manager, projectId, failures });
    };
    return this.writer.insert(
      { projectId, author: scope.actor },
      submission,
      prepareColumns,
      async (write, own) => {
        const columns = {
          ...nameColumns(fields.name ?? ''),
          project_id: projectId,
          ...own,
          version: 1,
          created_at: write.now,
          updated_at: write.now,
        } as unknown as Omit<E, 'id'>;
        const id = await this.store.insert(write.tx, columns);
        const record = this.kind.toRecord({ id, ...columns } as E);
        write.changed(this.kind.collection, {
          action: 'create',
          itemType: this.kind.type,
          itemId: id,
          before: null,
          after: record,
        });
        return new Created(record, 1, withoutId);
      },
    );
  }

  async update(scope: ProjectScope, submission: Submission<U>): Promise<Shown<R>> {
    return this.writer.change(writeScope(scope, this.store.table), submission, async (write) => {
      const current = await this.current(write, scope);
      const before = this.kind.toRecord(current);
      submission.checkReadOnly({ ...(before as Record<string, unknown> & R) }, write.failures);
      const asked = await this.changedColumns(write, submission.fields, current);
      write.failures.throwIfAny();
      return this.storeChanges(write, current, before, asked);
    });
  }

  async remove(scope: ProjectScope): Promise<void> {
    return this.writer.change(writeScope(scope, this.store.table), null, async (write) => {
      const current = await this.current(write, scope);
      await this.writes.checkRemoval?.(current, contextOf(write));
      await this.attachments.release(write, this.kind.collection, current.id);
      write.failures.throwIfAny();
      await this.store.delete(write.tx, current.id);
      write.changed(this.kind.collection, {
        action: 'delete',
        itemType: this.kind.type,
        itemId: current.id,
        before: this.kind.toRecord(current),
        after: null,
      });
    });
  }

  /** The own columns of a new row, and its api_name if there is one. */
  private async newColumns(fields: Partial<C>, context: RuleContext): Promise<OwnColumns<E>> {
    const own = await this.writes.newColumns(fields, context);
    if (!this.kind.hasApiName) {
      return own;
    }
    const { manager, projectId, failures } = context;
    const siblings = siblingsOf(this.kind, projectId);
    return { ...own, api_name: await newApiName(manager, siblings, fields, failures) };
  }

  private async changedColumns(write: ProjectWrite, fields: Partial<U>, current: E): Promise<Partial<E>> {
    const context = contextOf(write);
    const { manager, projectId, failures } = context;
    const asked = (await this.writes.changedColumns?.(fields, current, context)) ?? fields;
    if (this.kind.hasApiName) {
      const siblings = siblingsOf(this.kind, projectId);
      const { api_name: before } = current as E & { api_name: string };
      const { api_name: after } = fields as { api_name?: string };
      await checkApiNameChange(manager, siblings, before, after, failures);
    }
    return asked as Partial<E>;
  }

  private get writes(): ResourceWrites<E, C, U> {
    const { writes, collection } = this.kind;
    if (writes === undefined) {
      throw new Error(`${collection} are read only.`);
    }
    return writes;
  }

  /** Stores changed columns; without any, nothing changes, not even `updated_at`. */
  private async storeChanges(
    write: ProjectWrite,
    current: E,
    before: R,
    asked: Partial<E>,
  ): Promise<Shown<R>> {
    const changes = changedColumns(current, asked);
    const fields = Object.keys(changes);
    if (fields.length === 0) {
      return new Shown(before, current.version);
    }
    const columns = { ...changes, updated_at: write.now };
    await this.store.update(write.tx, current.id, columns);
    const record = this.kind.toRecord({ ...current, ...columns });
    write.changed(this.kind.collection, {
      action: 'update',
      itemType: this.kind.type,
      itemId: current.id,
      ...difference(before, record),
    });
    await this.writes.afterChange?.(write, current.id, fields);
    await this.attachments.showChange(write, this.kind.collection, current.id, fields);
    return new Shown(record, current.version + 1);
  }

  private async current(write: ProjectWrite, scope: ProjectScope): Promise<E> {
    const row = await this.store.findById(write.tx, scope.target.id);
    if (row === null) {
      throw new NotFoundError();
    }
    return row;
  }

  private shown(row: E | null): Shown<R> {
    if (row === null) {
      throw new NotFoundError();
    }
    return new Shown(this.kind.toRecord(row), row.version);
  }
}

const contextOf = ({ tx: manager, projectId, failures }: ProjectWrite): RuleContext => ({
  manager,
  projectId,
  failures,
});

/** Of the columns asked for, those whose value is another than the row has; a new name brings its derived columns. */
export function changedColumns<E extends NamedRow>(current: E, asked: Partial<E>): Partial<E> {
  return changedFields(current, asked.name === undefined ? asked : { ...asked, ...nameColumns(asked.name) });
}

/** The requested fields that differ from the current values. */
export function changedFields<T extends object>(current: T, asked: Partial<T>): Partial<T> {
  const changes = Object.entries(asked).filter(
    ([field, value]) => value !== undefined && !isSame(value, current[field as keyof T]),
  );
  return Object.fromEntries(changes) as Partial<T>;
}

/** Unlike a plain deep comparison, this treats -0 as 0, as it is stored. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}

/** The fields in which two records differ, for the audit log. */
export function difference(before: object, after: object): { before: object; after: object } {
  const old = before as Record<string, unknown>;
  const fields = Object.entries(after).filter(([field, value]) => !isDeepStrictEqual(value, old[field]));
  return {
    before: Object.fromEntries(fields.map(([field]) => [field, old[field]])),
    after: Object.fromEntries(fields),
  };
}
