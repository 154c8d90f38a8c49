import { retryTransient } from '../retry';
import type { Entities } from '../data-source';
import type { DatabaseTarget } from '../../config/config';
import type { OnWait } from '../migration-lock';
import { compareTable } from './compare';
import { CopiedTable, copiedTables } from './copied-tables';
import { CopyEnd, CopyRefusedError, keyOf, pageAfter, Row } from './copy-end';
import { CopyProgress, Position } from './copy-progress';
import { DatabaseState, stateOf } from './database-state';
import { openSource, prepareTarget } from './open-ends';

export interface CopyReport {
  from: string;
  to: string;
  rows: number;
  /** Rows that an interrupted copy had already stored; 0 if there was none. */
  resumed_after: number;
  /** Whether an earlier run had already completed the copy. */
  finished_before: boolean;
  tables: Record<string, { rows: number; sha256: string }>;
}

/** Callbacks of a copy. `copied` and `compared` get the number of finished rows. */
export interface CopyObserver {
  /** Called if another process is migrating the target. */
  waits: OnWait;
  copied(done: number, total: number): void;
  beforeComparison(): void;
  compared(done: number, total: number): void;
}

/**
 * Copies a database to an empty database of the same or the other engine, and then compares all rows. An interrupted
 * copy resumes after the last stored page; a complete copy is only compared again. The target cannot be used before the
 * comparison has succeeded.
 * @throws CopyRefusedError if a database is in use or unsuitable, or if the databases differ after copying
 */
export async function copyDatabase(
  from: DatabaseTarget,
  to: DatabaseTarget,
  entities: Entities,
  observer: CopyObserver,
): Promise<CopyReport> {
  const tables = await copiedTables(entities);
  const source = await openSource(from);
  try {
    const { target, isComplete } = await prepareTarget(
      { to, entities, onWait: observer.waits },
      source,
      tables,
    );
    try {
      const copy = new DatabaseCopy(source, target, tables, observer);
      return await (isComplete ? copy.confirm() : copy.run());
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** The message about a difference between the databases. */
type Refusal = (difference: string) => string;

const COPIED: Refusal = (difference) =>
  `The copy differs from the source: ${difference} Empty the target, then run the command again.`;
/** About a target that seemed to be a complete copy, which this run has not changed. */
const FOUND: Refusal = (difference) =>
  `The target has other data than the source: ${difference} Use an empty database.`;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

class DatabaseCopy {
  private readonly progress: CopyProgress;

  constructor(
    private readonly source: CopyEnd,
    private readonly target: CopyEnd,
    private readonly tables: readonly CopiedTable[],
    private readonly observer: CopyObserver,
  ) {
    this.progress = new CopyProgress(target);
  }

  async run(): Promise<CopyReport> {
    const state = await stateOf(this.source, this.tables);
    const total = sum(Object.values(state.counts));
    const begin = await this.progress.start(state.digest, this.firstTable);
    await this.copyFrom(begin, total);
    await this.copyCounters();
    await this.requireUnchanged(state);
    const report = await this.compareAll(state, COPIED);
    await this.progress.finish();
    return { ...report, resumed_after: begin.copied };
  }

  /** Compares a copy that an earlier run has completed. */
  async confirm(): Promise<CopyReport> {
    const report = await this.compareAll(await stateOf(this.source, this.tables), FOUND);
    return { ...report, finished_before: true };
  }

  private async compareAll(state: DatabaseState, refusal: Refusal): Promise<CopyReport> {
    const rows = sum(Object.values(state.counts));
    this.observer.beforeComparison();
    const tables = await this.compare(rows, refusal);
    await this.source.requireAlone();
    await this.requireUnchanged(state);
    const [from, to] = [this.source.name, this.target.name];
    return { from, to, rows, resumed_after: 0, finished_before: false, tables };
  }

  private get firstTable(): CopiedTable {
    const [first] = this.tables;
    if (first === undefined) {
      throw new Error('There are no tables.');
    }
    return first;
  }

  private async copyFrom(begin: Position, total: number): Promise<void> {
    const place = this.tables.findIndex(({ name }) => name === begin.table);
    let position = begin;
    for (const table of this.tables.slice(place)) {
      let key = table.name === begin.table ? begin.key : null;
      for (;;) {
        const rows = await pageAfter(this.source, table, key);
        const last = rows.at(-1);
        if (last === undefined) {
          break;
        }
        position = await this.store(position, table, rows);
        key = keyOf(table, last);
        this.observer.copied(position.copied, total);
      }
    }
  }

  private store(position: Position, table: CopiedTable, rows: readonly Row[]): Promise<Position> {
    return retryTransient(() =>
      this.target.transaction(async () => {
        await this.target.insert(table, rows);
        return this.progress.advance(position, table, rows);
      }),
    );
  }

  /** Copies the id counters, because ids are never reused, not even those of deleted rows. */
  private async copyCounters(): Promise<void> {
    for (const { name } of this.tables.filter(({ hasCounter }) => hasCounter)) {
      const next = await this.source.nextId(name);
      if (next !== (await this.target.nextId(name))) {
        await this.target.setNextId(name, next);
      }
    }
  }

  private async compare(total: number, refusal: Refusal): Promise<CopyReport['tables']> {
    const compared: CopyReport['tables'] = {};
    let done = 0;
    for (const table of this.tables) {
      const { rows, digest, difference } = await compareTable(this.source, this.target, table, (count) => {
        done += count;
        this.observer.compared(done, total);
      });
      if (difference !== null) {
        throw new CopyRefusedError(refusal(difference));
      }
      compared[table.name] = { rows, sha256: digest };
    }
    return compared;
  }

  private async requireUnchanged(state: DatabaseState): Promise<void> {
    if ((await stateOf(this.source, this.tables)).digest !== state.digest) {
      throw new CopyRefusedError(
        'The source was changed while it was copied. Stop all servers and workers that use it, empty the target, then run the command again.',
      );
    }
  }
}
