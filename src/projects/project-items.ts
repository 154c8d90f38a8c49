import { isDeepStrictEqual } from 'node:util';
import type { EntityManager, EntityTarget } from 'typeorm';
import type { Collection } from '../access/route-access';
import type { ProjectScope } from '../access/scope';
import { NotFoundError } from '../common/errors/api-errors';
import { Created, Listed, Shown, withoutId } from '../common/freshness/answers';
import { parseListQuery, RawQuery } from '../common/lists/list-query';
import { nameColumns, nameKey } from '../common/text/names';
import type { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import { listRows } from '../database/listing';
import { RowStore } from '../database/row-store';
import type { NamedRow } from '../database/rows';
import { ItemObservers } from './item-observers';
import { ProjectWrite, ProjectWriter, writeScope } from './project-writer';

/** A row that belongs to a project. */
export interface ProjectItem extends NamedRow {
  project_id: number;
}

/** What the shared operations need to know of a standard resource. */
export interface ItemKind<E extends ProjectItem, R extends { id: number }> {
  entity: EntityTarget<E>;
  collection: Exclude<Collection, 'record'>;
  /** What one of them is called, such as `goal`. */
  type: string;
  toRecord: (row: E) => R;
}

/** The columns of a kind that are not the same for all kinds. */
export type OwnColumns<E extends ProjectItem> = Omit<E, keyof ProjectItem | 'project' | 'is_default'>;

interface NamedFields {
  name?: string;
}

/** Adds failures, and returns the columns to store for what was submitted. */
export type Revise<E extends ProjectItem, T> = (
  write: ProjectWrite,
  fields: Partial<T>,
  current: E,
) => Promise<Partial<E>>;
export type Prepare<E extends ProjectItem, T> = (
  manager: EntityManager,
  failures: Failures,
  fields: Partial<T>,
) => Promise<OwnColumns<E>>;

/** Listing, finding, creating, updating and deleting, as far as it is the same for all standard resources. */
export class ProjectItems<E extends ProjectItem, R extends { id: number }> {
  readonly store: RowStore<E>;

  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly observers: ItemObservers,
    private readonly kind: ItemKind<E, R>,
  ) {
    this.store = new RowStore(database, kind.entity);
  }

  async list(scope: ProjectScope, query: RawQuery): Promise<Listed<R>> {
    const list = parseListQuery(query);
    const inProject = { sql: 'project_id = ?', parameters: [scope.projectId] };
    const { rows, total } = await listRows(
      this.database.read,
      this.store,
      this.store.columnNames,
      inProject,
      list,
    );
    return new Listed(
      rows.map((row) => this.kind.toRecord(row as E)),
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
    const [row] = await this.store.find(
      this.database.read,
      'project_id = ? AND name_key = ?',
      [scope.projectId, nameKey(submission.fields.name ?? '')],
      'ORDER BY id LIMIT 1',
    );
    return this.shown(row ?? null);
  }

  async create<T extends NamedFields>(
    scope: ProjectScope,
    submission: Submission<T>,
    prepare: Prepare<E, T>,
  ): Promise<Created<R>> {
    const { projectId } = scope;
    const { fields } = submission;
    const prepareColumns = async (manager: EntityManager, failures: Failures): Promise<OwnColumns<E>> => {
      submission.checkReadOnly({ project_id: projectId }, failures);
      return prepare(manager, failures, fields);
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

  async update<T extends NamedFields>(
    scope: ProjectScope,
    submission: Submission<T>,
    revise: Revise<E, T>,
  ): Promise<Shown<R>> {
    return this.writer.change(writeScope(scope, this.store.table), submission, async (write) => {
      const current = await this.current(write, scope);
      const before = this.kind.toRecord(current);
      submission.checkReadOnly({ ...before }, write.failures);
      const asked = await revise(write, submission.fields, current);
      write.failures.throwIfAny();
      return this.storeChanges(write, current, before, asked);
    });
  }

  async remove(scope: ProjectScope): Promise<void> {
    return this.writer.change(writeScope(scope, this.store.table), null, async (write) => {
      const current = await this.current(write, scope);
      await this.observers.beforeDelete(write, this.kind.collection, current);
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

  /** Stores the columns that differ; when none does, nothing changes, not even `updated_at`. */
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
    await this.observers.afterChange(write, this.kind.collection, current.id, fields);
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

/** Of the columns asked for, those whose value is another than the row has; a new name brings its derived columns. */
export function changedColumns<E extends NamedRow>(current: E, asked: Partial<E>): Partial<E> {
  const named = asked.name === undefined ? asked : { ...asked, ...nameColumns(asked.name) };
  const changes = Object.entries(named).filter(
    ([column, value]) => value !== undefined && !isSame(value, current[column as keyof E]),
  );
  return Object.fromEntries(changes) as Partial<E>;
}

/** Unlike a deep comparison alone, this takes -0 for the 0 that it is stored as. */
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
