import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import type { ProjectScope } from '../platform/access/scope';
import type { AuditNote } from '../audit/audit-log';
import { found } from '../common/errors/api-errors';
import { Created, Listed, Shown, withoutId } from '../common/http/answers';
import { parseListQuery, RawQuery } from '../common/lists/list-query';
import { nameColumns } from '../common/text/names';
import type { Micros } from '../common/time/clock';
import type { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import type { NamedRow } from '../database/named-rows';
import { checkApiNameChange, newApiName } from './api-name.store';
import { ExperimentAttachments } from './dependents';
import { ProjectItemStore } from './project-item.store';
import { CreationScope, creationScope, ProjectWrite, ProjectWriter, writeScope } from './project-writer';
import type { References } from './resources/references';
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

/** The fields of a restored record that requests cannot set. */
export interface Kept {
  id: number;
  created_at: Micros;
}

/** List, find, create, update, delete and restore for all standard resources. */
export class ProjectItems<
  E extends ProjectItem,
  R extends NamedRecord,
  C extends NamedFields = NamedFields,
  U extends NamedFields = NamedFields,
> {
  readonly store: ProjectItemStore<E>;

  constructor(
    protected readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly attachments: ExperimentAttachments,
    private readonly references: References,
    private readonly kind: Resource<E, R, C, U>,
  ) {
    this.store = new ProjectItemStore(database, kind.entity);
  }

  async list(scope: Pick<ProjectScope, 'projectId'>, query: RawQuery): Promise<Listed<R>> {
    const list = parseListQuery(query);
    const { rows, total } = await this.store.listOfProject(this.database.read, scope.projectId, list);
    return new Listed(
      rows.map((row) => this.kind.toRecord(row)),
      total,
      list.page,
    );
  }

  async show(scope: Pick<ProjectScope, 'target'>): Promise<Shown<R>> {
    const row = await this.store.findById(this.database.read, scope.target.id);
    return this.shown(row);
  }

  /** The oldest record with exactly this name. */
  async findByName(scope: ProjectScope, submission: Submission<NamedFields>): Promise<Shown<R>> {
    submission.failures().throwIfAny();
    const name = submission.fields.name ?? '';
    return this.shown(await this.store.findByName(this.database.read, scope.projectId, name));
  }

  async create(scope: CreationScope, submission: Submission<C>): Promise<Created<R>> {
    const { projectId } = scope;
    const { fields } = submission;
    const prepareColumns = async (manager: EntityManager, failures: Failures): Promise<OwnColumns<E>> => {
      submission.checkReadOnly({ project_id: projectId }, failures);
      return this.newColumns(fields, { manager, projectId, failures });
    };
    return this.writer.insert(creationScope(scope), submission, prepareColumns, async (write, own) => {
      const columns = { ...nameColumns(fields.name ?? ''), ...own, version: 1, created_at: write.now };
      const row = await this.insert(write, 'create', columns);
      const created = this.writes.created?.answer(row) as Created<R> | undefined;
      return created ?? new Created(this.kind.toRecord(row), 1, withoutId);
    });
  }

  /** Inserts a deleted record again, with its id. @param submission the record's fields, as for a new record */
  restore(scope: ProjectScope, submission: Submission<C>, kept: Kept): Promise<void> {
    return this.writer.change(
      { projectId: scope.projectId, author: scope.actor },
      submission,
      async (write) => {
        const { fields } = submission;
        const own = await this.newColumns(fields, contextOf(write));
        write.failures.throwIfAny();
        // The record never had a version this high, so its old ETags stay invalid.
        const version = (write.version ?? 0) + 1;
        const columns = { ...nameColumns(fields.name ?? ''), ...own, ...kept, version };
        const row = await this.insert(write, 'restore', columns);
        await this.writes.afterRestore?.(write, row);
      },
    );
  }

  private async insert(
    write: ProjectWrite,
    action: 'create' | 'restore',
    given: OwnColumns<E> & { version: number; created_at: Micros; id?: number },
  ): Promise<E> {
    const columns = { ...given, project_id: write.projectId, updated_at: write.now };
    const id = await this.store.insert(write.tx, columns as unknown as Omit<E, 'id'>);
    const row = { ...columns, id: given.id ?? id } as unknown as E;
    write.changed(this.kind.collection, {
      action,
      itemType: this.kind.type,
      itemId: row.id,
      before: null,
      after: this.audited(this.kind.toRecord(row)),
    });
    return row;
  }

  async update(scope: ProjectScope, submission: Submission<U>): Promise<Shown<R>> {
    return this.writer.change(writeScope(scope, this.store.table), submission, async (write) => {
      const current = await this.current(write, scope);
      const before = this.kind.toRecord(current);
      const sent = submission.changesTo({ ...(before as Record<string, unknown> & R) }, write.failures);
      const asked = await this.changedColumns(write, sent, current);
      const changes = changedColumns(current, asked);
      const fields = Object.keys(changes);
      const { collection } = this.kind;
      await this.attachments.requirePermission(write, scope.role, collection, current.id, fields);
      write.failures.throwIfAny();
      return this.storeChanges(write, current, before, changes);
    });
  }

  async remove(scope: ProjectScope): Promise<void> {
    return this.writer.change(writeScope(scope, this.store.table), null, async (write) => {
      const current = await this.current(write, scope);
      await this.references.checkRemoval(this.kind, current.id, contextOf(write));
      await this.writes.checkRemoval?.(current, contextOf(write));
      await this.attachments.release(write, this.kind.collection, current.id);
      write.failures.throwIfAny();
      await this.store.delete(write.tx, current.id);
      write.changed(this.kind.collection, {
        action: 'delete',
        itemType: this.kind.type,
        itemId: current.id,
        before: this.audited(this.kind.toRecord(current)),
        after: null,
      });
    });
  }

  /** The resource's own columns of a new row, and its api_name if it has one. */
  private async newColumns(fields: Partial<C>, context: RuleContext): Promise<OwnColumns<E>> {
    const own = await this.writes.newColumns(fields, context);
    await this.references.check(this.kind, own, null, context);
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
    await this.references.check(this.kind, asked, current, context);
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

  /** Stores changed columns. If no column has changed, nothing is stored, not even `updated_at`. */
  private async storeChanges(
    write: ProjectWrite,
    current: E,
    before: R,
    changes: Partial<E>,
  ): Promise<Shown<R>> {
    const fields = Object.keys(changes);
    if (fields.length === 0) {
      return new Shown(before, current.version);
    }
    const columns = { ...changes, updated_at: write.now };
    await this.store.update(write.tx, current.id, columns);
    const record = this.kind.toRecord({ ...current, ...columns });
    const changed = difference(before, record);
    write.changed(this.kind.collection, {
      action: 'update',
      itemType: this.kind.type,
      itemId: current.id,
      ...changed,
      before: this.audited(changed.before ?? {}),
      after: this.audited(changed.after ?? {}),
    });
    await this.writes.afterChange?.(write, current.id, fields);
    await this.attachments.showChange(write, this.kind.collection, current.id, fields);
    return new Shown(record, current.version + 1);
  }

  private audited(fields: object): object {
    return this.kind.audited?.(fields) ?? fields;
  }

  private async current(write: ProjectWrite, scope: ProjectScope): Promise<E> {
    return found(await this.store.findById(write.tx, scope.target.id));
  }

  private shown(row: E | null): Shown<R> {
    const existing = found(row);
    return new Shown(this.kind.toRecord(existing), existing.version);
  }
}

const contextOf = ({ tx: manager, projectId, failures }: ProjectWrite): RuleContext => ({
  manager,
  projectId,
  failures,
});

/**
 * The requested columns whose values differ from the row. If the name changes, the columns derived from it are
 * included.
 */
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

/** Whether two values are equal. Unlike `isDeepStrictEqual` alone, this treats -0 as 0, because -0 is stored as 0. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}

/** The fields in which two records differ, and the name of the record, for the audit log. */
export function difference(before: object, after: object): Pick<AuditNote, 'before' | 'after' | 'itemName'> {
  const old = before as Record<string, unknown>;
  const { name } = after as { name?: string };
  const fields = Object.entries(after).filter(([field, value]) => !isDeepStrictEqual(value, old[field]));
  return {
    ...(name !== undefined && { itemName: name }),
    before: Object.fromEntries(fields.map(([field]) => [field, old[field]])),
    after: Object.fromEntries(fields),
  };
}
