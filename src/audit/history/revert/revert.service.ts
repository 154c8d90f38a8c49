import { Injectable } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { type Permission, roleAllows } from '../../../platform/access/roles';
import type { ProjectScope } from '../../../platform/access/scope';
import {
  ApiError,
  PreconditionFailedError,
  UnauthorizedRoleError,
  UnavailableError,
  ValidationError,
} from '../../../common/errors/api-errors';
import { refusalOf } from '../../../common/errors/refusal';
import { Renewed, withoutId } from '../../../common/http/answers';
import { matchesTag, Tags } from '../../../common/http/etag';
import { groupBy } from '../../../common/lists/collections';
import { Failures } from '../../../common/validation/failures';
import { inputFields } from '../../../common/validation/fields';
import { type Submission, submit } from '../../../common/validation/submission';
import { Database, Tx } from '../../../database/database';
import { parseResponseTime } from '../../../common/time/clock';
import { ProjectWriter } from '../../../projects/project-writer';
import type { AuditEntryRecord } from '../audit-entry.record';
import { HistoryService } from '../history.service';
import { type Change, changeOf, notRevertible } from './decisions';
import { bodyOf, checkUnchanged, isCut, type Values } from './entry-values';
import { type Found, type Reverter, Reverters } from './reverters';

@ApiSchema({ description: 'A revert request has no fields.' })
export class RevertAuditEntry {
  static readonly example: object = {};
}

/** An entry, its change, and how to undo it. */
interface Reverting {
  entry: AuditEntryRecord;
  change: Change;
  reverter: Reverter;
}

const WAYS = { create: 'remove', update: 'update', delete: 'restore' } as const satisfies Record<
  Change,
  keyof Reverter
>;

/** Undoes changes to definitions. */
@Injectable()
export class RevertService {
  constructor(
    private readonly database: Database,
    private readonly history: HistoryService,
    private readonly reverters: Reverters,
    private readonly writer: ProjectWriter,
    private readonly tags: Tags,
  ) {}

  /**
   * Undoes the change in an entry, after checking in the same transaction that its fields have not changed since.
   * @returns the entry of the revert, with the ETag of the changed record
   * @throws ValidationError if the change cannot be reverted, or fields have changed since
   * @throws PreconditionFailedError if `If-Match` names a different version of the record
   */
  async revert(scope: ProjectScope, entryId: number): Promise<Renewed<AuditEntryRecord>> {
    const { projectId, role } = scope;
    const entry = await this.history.entry(projectId, entryId);
    const reverting = this.plan(entry);
    const { permission } = reverting.reverter;
    if (!roleAllows(role, permission)) {
      throw new UnauthorizedRoleError(role, permission);
    }
    const reverter = { ...scope, actor: { ...scope.actor, isReverting: true as const } };
    // Concurrent changes wait, so nothing changes between the check and the revert.
    return this.writer.together(projectId, (tx) => this.undo(tx, reverter, reverting));
  }

  /** The minimum permission for reverting an entry; null if it cannot be reverted. */
  permissionFor(entry: AuditEntryRecord): Permission | null {
    try {
      return this.plan(entry).reverter.permission;
    } catch (error) {
      if (error instanceof ValidationError) {
        return null;
      }
      throw error;
    }
  }

  /**
   * The reason why reverting each entry would be rejected now, by entry id; null if it would succeed. Entries whose
   * record has changed since are found by reading the records. The remaining entries are reverted in transactions that
   * are rolled back. If the database cannot be written to, the remaining results are unknown and therefore null, so the
   * caller waits only once. Other errors are thrown.
   */
  async obstacles(
    scope: ProjectScope,
    entries: readonly AuditEntryRecord[],
  ): Promise<Map<number, ApiError | null>> {
    if (entries.length === 0) {
      return new Map();
    }
    const obstacles = await this.database.snapshot(() => this.overtaken(scope.projectId, entries));
    for (const [id, change] of obstacles) {
      if (change !== null) {
        continue;
      }
      const refusal = await refusalIn(() => this.database.rollingBack(() => this.revert(scope, id)));
      if (refusal instanceof UnavailableError) {
        break;
      }
      obstacles.set(id, refusal);
    }
    return obstacles;
  }

  /** The errors of the entries whose record has changed since, by entry id; null for the others. */
  private async overtaken(
    projectId: number,
    entries: readonly AuditEntryRecord[],
  ): Promise<Map<number, ApiError | null>> {
    const obstacles = new Map<number, ApiError | null>(entries.map(({ id }) => [id, null]));
    const changes = entries.map((entry) => this.plan(entry)).filter(({ change }) => change !== 'delete');
    // Reads each record once, because most entries in a history are changes to the same few records.
    const byRecord = groupBy(changes, ({ entry }) => `${entry.item_type} ${entry.item_id}`);
    for (const ofRecord of byRecord.values()) {
      const [{ entry: first, reverter }] = ofRecord;
      const found = await reverter.find(this.database.read, projectId, first.item_id);
      for (const { entry } of ofRecord) {
        obstacles.set(
          entry.id,
          await refusalIn(async () => unchanged(await this.whole(projectId, entry), found)),
        );
      }
    }
    return obstacles;
  }

  /** The entry with all its text. Lists truncate long text. */
  private whole(projectId: number, entry: AuditEntryRecord): Promise<AuditEntryRecord> {
    return isCut(entry.after) ? this.history.entry(projectId, entry.id) : Promise.resolve(entry);
  }

  /** Decides how to revert an entry. @throws ValidationError if an entry of this kind cannot be reverted */
  private plan(entry: AuditEntryRecord): Reverting {
    const change = changeOf(entry);
    const reverter = this.reverters.of(entry.item_type);
    if (reverter?.[WAYS[change]] === undefined) {
      const what = entry.item_type.replaceAll('_', ' ');
      throw notRevertible(
        `The ${change} action cannot be reverted for this ${what}. Change the ${what} directly.`,
      );
    }
    return { entry, change, reverter };
  }

  private async undo(tx: Tx, scope: ProjectScope, reverting: Reverting): Promise<Renewed<AuditEntryRecord>> {
    const { projectId } = scope;
    const { item_id: id, item_type: type } = reverting.entry;
    const last = await this.history.lastId(tx, projectId);
    const found = await reverting.reverter.find(tx, projectId, id);
    this.requireMatch(scope, id, found);
    if (reverting.change === 'delete') {
      await this.restore(tx, scope, reverting, found);
    } else {
      await this.change(scope, reverting, found);
    }
    const own = await this.history.latest(tx, projectId, { type, id, afterId: last });
    if (own === null) {
      throw notRevertible('Nothing would change.');
    }
    const after = await reverting.reverter.find(tx, projectId, id);
    return new Renewed(own, after?.version ?? 0, withoutId, id);
  }

  /** Checks `If-Match`. A deleted record matches no tag, not even `*`. @throws PreconditionFailedError */
  private requireMatch({ ifMatch }: ProjectScope, id: number, found: Found | null): void {
    if (ifMatch === null) {
      return;
    }
    if (found === null || !matchesTag(ifMatch, this.tags.record(id, found.version))) {
      throw new PreconditionFailedError();
    }
  }

  /** Restores the old field values, or deletes the created record. */
  private async change(
    scope: ProjectScope,
    { entry, change, reverter }: Reverting,
    found: Found | null,
  ): Promise<void> {
    const { items, version } = unchanged(entry, found);
    const target = { ...scope, items, target: { id: entry.item_id, version } };
    if (change === 'create') {
      await reverter.remove?.(target);
      return;
    }
    const { update, record } = reverter;
    if (update !== undefined) {
      const fields = Object.keys(entry.after ?? {});
      await update.run(target, submissionOf(update.body, record, entry.before ?? {}, fields));
    }
  }

  /**
   * Restores a deleted record.
   * @throws ValidationError if the record exists again, or was changed or purged after the entry was recorded
   */
  private async restore(
    tx: Tx,
    scope: ProjectScope,
    { entry, reverter }: Reverting,
    found: Found | null,
  ): Promise<void> {
    const { item_id: id, item_type: type, before } = entry;
    if (found !== null) {
      throw changedSince(`The ${type} with id ${id} exists again.`);
    }
    const later = await this.history.latest(tx, scope.projectId, { type, id, afterId: entry.id });
    if (later?.action === 'purge') {
      throw notRevertible(`The ${type} with id ${id} was purged with all its data. Create it again.`);
    }
    if (later !== null) {
      throw changedSince(`The ${type} with id ${id} changed after this entry. Revert its last deletion.`);
    }
    const { restore, record } = reverter;
    if (restore === undefined || before === null) {
      return;
    }
    this.requireMoves(scope, before);
    const items = await restore.items(tx, scope.projectId, before);
    const submission =
      restore.body === null
        ? submit(RevertAuditEntry, null, {})
        : submissionOf(restore.body, record, before, Object.keys(before));
    const kept = { id, created_at: parseResponseTime(String(before.created_at)) ?? 0 };
    await restore.run({ ...scope, items, target: { id, version: 0 } }, submission, kept);
  }

  /** Restoring a running experiment needs the same permission as deleting it. */
  private requireMoves({ role }: ProjectScope, { status }: Values): void {
    if (status === 'running' && !roleAllows(role, 'experiments:run')) {
      throw new UnauthorizedRoleError(role, 'experiments:run');
    }
  }
}

/** The reason why the work is rejected; null if it succeeds. @throws unexpected errors */
async function refusalIn(work: () => unknown): Promise<ApiError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.status >= 500 && !(refusal instanceof UnavailableError)) {
      throw error;
    }
    return refusal;
  }
}

/** The record of an entry. @throws ValidationError if it no longer exists, or the entry's fields have changed since */
function unchanged({ item_id: id, item_type: type, after }: AuditEntryRecord, found: Found | null): Found {
  if (found === null) {
    throw changedSince(`The ${type} with id ${id} no longer exists.`);
  }
  const failures = new Failures();
  checkUnchanged(after ?? {}, found.record, failures);
  failures.throwIfAny();
  return found;
}

const changedSince = (message: string): ValidationError =>
  new ValidationError([{ path: 'entry', message, code: 'CHANGED_SINCE' }]);

/**
 * The request that sets the fields to the values recorded in an entry. @throws ValidationError if no request can do so
 */
function submissionOf(
  body: new () => object,
  record: new () => object,
  values: Values,
  fields: readonly string[],
): Submission<object> {
  const failures = new Failures();
  const sent = bodyOf(values, fields, [...inputFields(body)], failures);
  failures.throwIfAny();
  if (Object.keys(sent).length === 0) {
    throw notRevertible("None of the entry's fields can be changed.");
  }
  return submit(body, record, sent);
}
