import { createHash } from 'node:crypto';
import { retryTransient } from '../retry';
import type { Entities } from '../data-source';
import type { DatabaseTarget } from '../../config/config';
import type { OnWait } from '../migration-lock';
import { compareTable } from './compare';
import { CopiedTable, copiedTables } from './copied-tables';
import { CopyEnd, CopyRefusedError, keyOf, pageAfter, quoted, Row } from './copy-end';
import { CopyProgress, Position } from './copy-progress';
import { openSource, prepareTarget } from './open-ends';

/**
 * Modulus of the values that `stateOf` adds up; a prime number. Sums of remainders cannot overflow, and any change to a
 * version, counter or time also changes its remainder.
 */
const MODULUS = 1_000_003;

interface SourceState {
  /** SHA-256 of the counts and sums of all tables. */
  digest: string;
  /** Rows by table. */
  counts: Readonly<Record<string, number>>;
}

/**
 * Identifies a database state by each table's number of rows and the sum of each of its integer columns. Every change
 * that a server makes either increments a version, or adds, removes or marks a row.
 */
async function stateOf(end: CopyEnd, tables: readonly CopiedTable[]): Promise<SourceState> {
  const hash = createHash('sha256');
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const sums = table.columns
      .filter(({ kind }) => kind === 'integer')
      .map(({ name }) => `COALESCE(SUM(${quoted(name)} % ${MODULUS}), 0)`);
    const [row = []] = await end.all(`SELECT ${['COUNT(*)', ...sums].join(', ')} FROM ${quoted(table.name)}`);
    const next = table.hasCounter ? await end.nextId(table.name) : '';
    counts[table.name] = Number(row[0]);
    hash.update(`${[table.name, ...row, next].map(String).join(' ')}\n`);
  }
  return { digest: hash.digest('hex'), counts };
}

export interface CopyReport {
  from: string;
  to: string;
  rows: number;
  /** Rows that an interrupted copy had already stored; 0 if there was none. */
  resumed_after: number;
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
 * copy resumes after the last stored page. The target cannot be used before the comparison has succeeded.
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
    const target = await prepareTarget({ to, entities, onWait: observer.waits }, source, tables);
    try {
      return await new DatabaseCopy(source, target, tables, observer).run();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

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
    this.observer.beforeComparison();
    const tables = await this.compare(total);
    await this.source.requireAlone();
    await this.requireUnchanged(state);
    await this.progress.finish();
    return { from: this.source.name, to: this.target.name, rows: total, resumed_after: begin.copied, tables };
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

  private async compare(total: number): Promise<CopyReport['tables']> {
    const compared: CopyReport['tables'] = {};
    let done = 0;
    for (const table of this.tables) {
      const { rows, digest, difference } = await compareTable(this.source, this.target, table, (count) => {
        done += count;
        this.observer.compared(done, total);
      });
      if (difference !== null) {
        throw new CopyRefusedError(
          `The copy differs from the source: ${difference} Empty the target, then run the command again.`,
        );
      }
      compared[table.name] = { rows, sha256: digest };
    }
    return compared;
  }

  private async requireUnchanged(state: SourceState): Promise<void> {
    if ((await stateOf(this.source, this.tables)).digest !== state.digest) {
      throw new CopyRefusedError(
        'The source was changed while it was copied. Stop all servers and workers that use it, empty the target, then run the command again.',
      );
    }
  }
}
