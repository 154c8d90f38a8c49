import type { DataSource, EntityManager } from 'typeorm';
import { KeyedQueues, Slots } from '../common/concurrency';
import { MAX_TRANSACTIONS, poolsOf } from './data-source';
import { hasCode, queueFull, WaitTimeoutError } from './errors';
import type { PoolLoad } from './host-pools';
import { retryTransient } from './retry';

/**
 * Maximum number of transactions of each kind in the same project, because each of them can wait for the project's lock.
 * With several, the next transactions are prepared and sent while one is being committed.
 */
const IN_PROJECT = 3;
const WAITING = 1_000;
const WAIT_MS = 5_000;

/**
 * What a transaction in a project stores. Events have separate turns, because they rarely need the project's lock, for
 * which writes can wait.
 */
export type ProjectWork = 'writes' | 'events';

/** Where a transaction runs. */
export interface Placement {
  /** The project that the transaction locks or may lock; null if it locks none. */
  projectId: number | null;
  projectWork: ProjectWork;
  /** Whether the transaction uses the connections for collection. */
  isCollecting: boolean;
}

const FULL_DISK_CODES = [
  'ER_RECORD_FILE_FULL',
  'ER_DISK_FULL',
  'ER_ERROR_ON_WRITE',
  'ER_TEMP_FILE_WRITE_FAILURE',
];
/**
 * A small write may succeed on a full disk, so only the work itself shows whether there is room again. After this time
 * without another failure, the process may get requests again.
 */
const REMEMBERED_MS = 10_000;

/** Remembers whether transactions on MySQL have failed recently because the server's disk is full. */
export class FullDisk {
  private failedAt = -Infinity;

  /** Runs a transaction, and remembers its failure. */
  async watch<T>(transaction: () => Promise<T>): Promise<T> {
    try {
      return await transaction();
    } catch (error) {
      if (FULL_DISK_CODES.some((code) => hasCode(error, code))) {
        this.failedAt = performance.now();
      }
      throw error;
    }
  }

  /** The problem as the end of a sentence; null if there is none. */
  get problem(): string | null {
    const isRecent = performance.now() - this.failedAt < REMEMBERED_MS;
    return isRecent ? "the database server's disk is full. Free some disk space." : null;
  }
}

/**
 * Runs transactions on MySQL. A transaction that waits for a row lock keeps its connection, so transactions that may
 * wait for the same lock, or for any lock, get only a share of the connections. The others wait in memory, before their
 * transaction begins, so they hold no locks while they wait.
 */
export class MysqlTransactions {
  private readonly all = newSlots(MAX_TRANSACTIONS);
  private readonly projects = {
    writes: inProjects('other writes to project'),
    events: inProjects('other events from back ends for project'),
  };
  private readonly disk = new FullDisk();
  private waiting = 0;

  constructor(
    private readonly main: DataSource,
    private readonly collector: DataSource,
  ) {}

  /** Runs the work in a transaction, and retries it on conflicts with other transactions. */
  run<T>(
    work: (manager: EntityManager) => Promise<T>,
    { projectId, projectWork, isCollecting }: Placement,
  ): Promise<T> {
    if (isCollecting) {
      return this.disk.watch(() => retryTransient(() => this.collector.transaction(work)));
    }
    let isWaiting = true;
    this.waiting += 1;
    const endWait = (): void => {
      this.waiting -= isWaiting ? 1 : 0;
      isWaiting = false;
    };
    const inTurn = (): Promise<T> =>
      this.all.run(() => {
        endWait();
        return this.disk.watch(() => retryTransient(() => this.main.transaction(work)));
      });
    const done = projectId === null ? inTurn() : this.projects[projectWork].run(projectId, inTurn);
    return done.finally(endWait);
  }

  /** The reason why nothing can be stored, as the end of a sentence; null if there is none. */
  problem(): Promise<string | null> {
    return Promise.resolve(this.disk.problem);
  }

  /** The load of the connections, and the number of transactions that wait for their turn. */
  loads(): PoolLoad[] {
    const main = poolsOf(this.main).load();
    return [
      { pool: 'main', ...main, waiting: main.waiting + this.waiting },
      { pool: 'collection', ...poolsOf(this.collector).load() },
    ];
  }
}

const newSlots = (running: number, late = () => new WaitTimeoutError()): Slots =>
  new Slots({ running, waiting: WAITING, waitMs: WAIT_MS, full: queueFull, late });

/** @param others the transactions for which the transactions of a project wait */
const inProjects = (others: string): KeyedQueues =>
  new KeyedQueues((projectId) =>
    newSlots(
      IN_PROJECT,
      () => new WaitTimeoutError(`The transaction has waited too long for ${others} ${projectId}.`),
    ),
  );
