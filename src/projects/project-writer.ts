import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Author } from '../platform/access/actor';
import type { Collection } from '../platform/access/route-access';
import type { ProjectScope } from '../platform/access/scope';
import { audit, AuditNote } from '../audit/audit-log';
import { found, PreconditionFailedError } from '../common/errors/api-errors';
import { matchesTag, Tags } from '../common/http/etag';
import { Micros, nowMicros } from '../common/time/clock';
import { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Database, Tx } from '../database/database';
import { isForeignKeyViolation, isUniqueViolation } from '../database/errors';
import { ProjectChanges, ProjectVersionsStore } from './project-versions.store';

/** A write in progress in a project. */
export class ProjectWrite {
  readonly now: Micros = nowMicros();
  readonly notes: AuditNote[] = [];
  readonly collections = new Set<Collection>();

  constructor(
    readonly tx: Tx,
    readonly projectId: number,
    readonly author: Author,
    /** Validation errors. If there are any, nothing is stored. */
    readonly failures: Failures,
    /** The project version when the lock was acquired, before the work; null if the project is not locked. */
    readonly version: number | null = null,
  ) {}

  /** Records a change. If no change is recorded, versions and ETags stay the same. */
  changed(collection: Collection, note: AuditNote): void {
    this.noted(note);
    this.touched(collection);
  }

  /** Records a change that does not affect any collection. */
  noted(note: AuditNote): void {
    this.notes.push(note);
  }

  /** Marks a collection as changed, as a consequence of a change that was recorded separately. */
  touched(collection: Collection): void {
    this.collections.add(collection);
  }
}

type Work<T> = (write: ProjectWrite) => Promise<T>;

/** The user and project of a write, and the version that a record must have, if the request names one. */
export type WriteScope = Pick<ProjectScope, 'projectId'> & {
  author: Author;
  precondition?: { ifMatch: readonly string[]; id: number; table: string };
};

/** The project in which a record is created, and its creator. `ifMatch` names a version of the project. */
export type CreationScope = Pick<ProjectScope, 'projectId' | 'role' | 'ifMatch'> & { actor: Author };

const FREE_ATTEMPTS = 3;

/**
 * All writes in a project use this class. Each write is one transaction that contains the change, its audit entries and
 * the new versions. If there is a validation error, nothing is stored.
 */
@Injectable()
export class ProjectWriter {
  constructor(
    private readonly database: Database,
    private readonly tags: Tags,
    private readonly changes: ProjectChanges,
    private readonly versions: ProjectVersionsStore,
  ) {}

  /**
   * Inserts records. Inserts run concurrently, because the version row is locked only at the end and indices ensure
   * uniqueness. An insert that loses a race for an api_name is prepared again. After several lost races, or with a
   * precondition, the insert is serialised like a change.
   * @param prepare reads and checks the data for the insert; its argument says whether a race was lost. It runs outside
   * the transaction at first. Inside `together`, it always runs in the transaction, so it sees what other work has
   * stored.
   */
  async insert<P, T>(
    scope: WriteScope,
    submission: Submission<object> | null,
    prepare: (manager: EntityManager, failures: Failures, hasLostRace: boolean) => Promise<P>,
    work: (write: ProjectWrite, prepared: P) => Promise<T>,
  ): Promise<T> {
    const isFree = !this.database.isTogether && scope.precondition === undefined;
    for (let attempt = 1; attempt <= FREE_ATTEMPTS && isFree; attempt += 1) {
      const failures = submission?.failures() ?? new Failures();
      const prepared = await prepare(this.database.read, failures, attempt > 1);
      failures.throwIfAny();
      try {
        return await this.committed(scope, (tx) =>
          this.run(tx, scope, failures, (write) => work(write, prepared)),
        );
      } catch (error) {
        if (!isUniqueViolation(error) && !isForeignKeyViolation(error)) {
          throw error;
        }
      }
    }
    return this.insertInTurn(scope, submission, prepare, work);
  }

  /**
   * Like `insert`, but serialised like a change. Use this for records that rely on a row but do not reference that row
   * with a foreign key.
   */
  insertInTurn<P, T>(
    scope: WriteScope,
    submission: Submission<object> | null,
    prepare: (manager: EntityManager, failures: Failures, hasLostRace: boolean) => Promise<P>,
    work: (write: ProjectWrite, prepared: P) => Promise<T>,
  ): Promise<T> {
    return this.change(scope, submission, async (write) => {
      const prepared = await prepare(write.tx, write.failures, true);
      write.failures.throwIfAny();
      return work(write, prepared);
    });
  }

  /**
   * Runs work that calls several services for one project, in a single transaction, so either all changes are stored or
   * none.
   */
  async together<T>(projectId: number, work: (tx: Tx) => Promise<T>): Promise<T> {
    const whole = (tx: Tx): Promise<T> => this.lock(tx, projectId).then(() => work(tx));
    try {
      return await this.database.together(() => this.database.transaction(whole), projectId);
    } finally {
      this.changes.announce(projectId);
    }
  }

  /**
   * Runs an update or a delete. Updates and deletes are serialised per project, so the results of their checks stay
   * valid until the commit.
   */
  change<T>(scope: WriteScope, submission: Submission<object> | null, work: Work<T>): Promise<T> {
    return this.committed(scope, async (tx) => {
      const version = await this.lock(tx, scope.projectId);
      await this.requireMatch(tx, scope);
      return this.run(tx, scope, submission?.failures() ?? new Failures(), work, version);
    });
  }

  /**
   * Runs a transaction and notifies caches. Caches are notified even if the commit fails, because the commit may have
   * succeeded even though its response was lost.
   */
  private async committed<T>({ projectId }: WriteScope, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work, projectId);
    } finally {
      this.changes.announce(projectId);
    }
  }

  private async run<T>(
    tx: Tx,
    scope: WriteScope,
    failures: Failures,
    work: Work<T>,
    version: number | null = null,
  ): Promise<T> {
    const write = new ProjectWrite(tx, scope.projectId, scope.author, failures, version);
    const result = await work(write);
    write.failures.throwIfAny();
    if (write.notes.length > 0) {
      // Incrementing the versions locks the project, so audit entry ids ascend in commit order.
      await this.versions.countUp(tx, scope.projectId, write.collections);
      await audit(tx, scope.author, scope.projectId, write.notes);
    }
    return result;
  }

  private async lock(tx: Tx, projectId: number): Promise<number> {
    return found(await this.versions.lock(tx, projectId));
  }

  private async requireMatch(tx: Tx, { precondition }: WriteScope): Promise<void> {
    if (precondition === undefined) {
      return;
    }
    const { ifMatch, id, table } = precondition;
    const version = await this.versions.ofRecord(tx, table, id);
    if (version === null || !matchesTag(ifMatch, this.tags.record(id, version))) {
      throw new PreconditionFailedError();
    }
  }
}

/** The scope for the creation of a record in a project. */
export function creationScope({ projectId, actor, ifMatch }: CreationScope): WriteScope {
  const precondition =
    ifMatch === null ? {} : { precondition: { ifMatch, id: projectId, table: 'projects' } };
  return { projectId, author: actor, ...precondition };
}

/** The scope for a write to the request's record in `table`. */
export function writeScope(scope: ProjectScope, table: string): WriteScope {
  const { projectId, actor, ifMatch, target } = scope;
  const precondition = ifMatch === null ? {} : { precondition: { ifMatch, id: target.id, table } };
  return { projectId, author: actor, ...precondition };
}
