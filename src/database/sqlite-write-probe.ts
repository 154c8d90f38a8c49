import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { isDamaged, sqliteProblem } from './errors';
import { retryTransient } from './retry';

/**
 * Number of bytes that a probe writes. It exceeds the size of a large event batch, so a successful probe is reliable.
 */
const PROBE_BYTES = 1_048_576;
/** Minimum interval between probes while the file is not writable. */
const PAUSE_MS = 1_000;
/** If a probe takes longer than this, callers get the previous result. Must be less than the readiness timeout. */
const TIMEOUT_MS = 500;

const DROP = 'DROP TABLE IF EXISTS write_probe';

/** Runs work in a separate transaction. */
type Run = (work: (manager: EntityManager) => Promise<unknown>) => Promise<unknown>;

/**
 * Checks whether the database file is writable. A failed transaction is remembered until a probe has written
 * successfully. Probes run only after a failure, and once after startup: with checks, and with transactions that
 * succeed, because a check that meets another process's transaction cannot find out that the problem is gone.
 */
export class SqliteWriteProbe {
  private isProven = false;
  private isDamaged = false;
  private failures = 0;
  private problem: string | null = null;
  private running: Promise<void> | null = null;
  private lastAt = -Infinity;

  /** @param run must not wait for locks held by other processes */
  constructor(private readonly run: Run) {}

  /** Call this for every successful transaction. */
  noteSuccess(): void {
    if (this.problem !== null && !this.isDamaged) {
      this.begin();
    }
  }

  /** Call this for every failed transaction. */
  noteFailure(error: unknown): void {
    const problem = sqliteProblem(error);
    if (problem !== null) {
      this.isProven = false;
      this.isDamaged ||= isDamaged(error);
      this.failures += 1;
      this.problem = problem;
    }
  }

  /** The reason why the file is not writable; null if it is. Concurrent callers share one probe. */
  async check(): Promise<string | null> {
    if (!this.isProven && !this.isDamaged) {
      this.begin();
      await Promise.race([this.running, sleep(TIMEOUT_MS, undefined, { ref: false })]);
    }
    return this.problem;
  }

  private begin(): void {
    const now = performance.now();
    if (this.running === null && now - this.lastAt >= PAUSE_MS) {
      this.lastAt = now;
      this.running = this.probe().finally(() => (this.running = null));
    }
  }

  private async probe(): Promise<void> {
    const { failures } = this;
    try {
      await this.attempt(fill);
      await this.attempt((manager) => manager.query(DROP));
      this.isProven = failures === this.failures;
      this.problem = this.isProven ? null : this.problem;
    } catch {
      // The failure is already recorded. A conflict with another transaction reveals nothing new.
    }
  }

  /** Looks for a gap between the transactions of other processes. */
  private attempt(work: (manager: EntityManager) => Promise<unknown>): Promise<unknown> {
    return retryTransient(() => this.run(work), TIMEOUT_MS);
  }
}

/**
 * Writes the probe. It is committed separately from the drop, because SQLite does not write pages that have been freed
 * again by the time of the commit.
 */
async function fill(manager: EntityManager): Promise<void> {
  await manager.query(DROP);
  await manager.query('CREATE TABLE write_probe (filling BLOB)');
  await manager.query(`INSERT INTO write_probe VALUES (zeroblob(${PROBE_BYTES}))`);
}
