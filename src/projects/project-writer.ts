import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Author } from '../access/actor';
import type { Collection } from '../access/route-access';
import type { ProjectScope } from '../access/scope';
import { audit, AuditNote } from '../audit/audit-log';
import { NotFoundError, PreconditionFailedError } from '../common/errors/api-errors';
import { matchesTag, Tags } from '../common/freshness/tags';
import { Micros, nowMicros } from '../common/time/clock';
import { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Database, Tx } from '../database/database';
import { isForeignKeyViolation, isUniqueViolation } from '../database/errors';

/** One write inside a project, under way. */
export class ProjectWrite {
  readonly now: Micros = nowMicros();
  readonly notes: AuditNote[] = [];
  readonly collections = new Set<Collection>();

  constructor(
    readonly tx: Tx,
    readonly projectId: number,
    readonly author: Author,
    /** What is refused; nothing is stored while there is anything. */
    readonly failures: Failures,
  ) {}

  /** Notes a change. A write that notes none leaves all versions, and so all ETags, as they were. */
  changed(collection: Collection, note: AuditNote): void {
    this.notes.push(note);
    this.touched(collection);
  }

  /** What a collection shows has changed, as a consequence of a noted change elsewhere. */
  touched(collection: Collection): void {
    this.collections.add(collection);
  }
}

type Work<T> = (write: ProjectWrite) => Promise<T>;

/** Who writes into which project; `ifMatch` and `target` when a record of it is the subject. */
export type WriteScope = Pick<ProjectScope, 'projectId'> & {
  author: Author;
  precondition?: { ifMatch: readonly string[]; id: number; table: string };
};

const FREE_ATTEMPTS = 3;

/**
 * Every write inside a project goes through here: one transaction with the change, its audit entries and the new
 * version numbers, and nothing of it when anything was refused.
 */
@Injectable()
export class ProjectWriter {
  constructor(
    private readonly database: Database,
    private readonly tags: Tags,
  ) {}

  /**
   * For adding records. Inserts run side by side: the version row is locked only at the end, and uniqueness is
   * the indices' affair. Who loses a race for an api_name prepares again and finds it taken; who loses several
   * takes its turn like a change.
   * @param prepare reads and checks what the insert needs, at first outside of the transaction; it is told after a
   * lost race
   */
  async insert<P, T>(
    scope: WriteScope,
    submission: Submission<object> | null,
    prepare: (manager: EntityManager, failures: Failures, hasLostRace: boolean) => Promise<P>,
    work: (write: ProjectWrite, prepared: P) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; attempt <= FREE_ATTEMPTS; attempt += 1) {
      const failures = submission?.failures() ?? new Failures();
      const prepared = await prepare(this.database.read, failures, attempt > 1);
      failures.throwIfAny();
      try {
        return await this.database.transaction((tx) => {
          return this.run(tx, scope, failures, (write) => work(write, prepared));
        });
      } catch (error) {
        if (!isUniqueViolation(error) && !isForeignKeyViolation(error)) {
          throw error;
        }
      }
    }
    return this.change(scope, submission, async (write) => {
      const prepared = await prepare(write.tx, write.failures, true);
      write.failures.throwIfAny();
      return work(write, prepared);
    });
  }

  /** For changes and removals: they take turns within a project, so what they check stays true until they commit. */
  change<T>(scope: WriteScope, submission: Submission<object> | null, work: Work<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await this.lock(tx, scope.projectId);
      await this.requireMatch(tx, scope);
      return this.run(tx, scope, submission?.failures() ?? new Failures(), work);
    });
  }

  private async run<T>(tx: Tx, scope: WriteScope, failures: Failures, work: Work<T>): Promise<T> {
    const write = new ProjectWrite(tx, scope.projectId, scope.author, failures);
    const result = await work(write);
    write.failures.throwIfAny();
    if (write.notes.length > 0) {
      await audit(tx, scope.author, scope.projectId, write.notes);
      await this.countUp(write);
    }
    return result;
  }

  private async countUp({ tx, projectId, collections }: ProjectWrite): Promise<void> {
    const counted = [...collections].filter((collection) => collection !== 'record');
    const columns = ['version', ...counted].map((column) => `${column} = ${column} + 1`);
    await tx.query(`UPDATE project_versions SET ${columns.join(', ')} WHERE project_id = ?`, [projectId]);
    if (collections.has('record')) {
      await tx.query(
        'UPDATE teams SET projects_version = projects_version + 1 WHERE id = (SELECT team_id FROM projects WHERE id = ?)',
        [projectId],
      );
    }
  }

  private async lock(tx: Tx, projectId: number): Promise<void> {
    await tx.query(`SELECT version FROM project_versions WHERE project_id = ?${this.database.forUpdate}`, [
      projectId,
    ]);
    const live: unknown[] = await tx.query('SELECT id FROM projects WHERE id = ? AND deleted_at IS NULL', [
      projectId,
    ]);
    if (live.length === 0) {
      throw new NotFoundError();
    }
  }

  private async requireMatch(tx: Tx, { precondition }: WriteScope): Promise<void> {
    if (precondition === undefined) {
      return;
    }
    const { ifMatch, id, table } = precondition;
    const [row]: { version: number }[] = await tx.query(`SELECT version FROM ${table} WHERE id = ?`, [id]);
    if (row === undefined || !matchesTag(ifMatch, this.tags.record(id, row.version))) {
      throw new PreconditionFailedError();
    }
  }
}

/** The scope of a write to the record of a request that is kept in `table`. */
export function writeScope(scope: ProjectScope, table: string): WriteScope {
  const { projectId, actor, ifMatch, target } = scope;
  const precondition = ifMatch === null ? {} : { precondition: { ifMatch, id: target.id, table } };
  return { projectId, author: actor, ...precondition };
}
