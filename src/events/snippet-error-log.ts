import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { MemoryWindow } from '../platform/rate-limit/rate-window';
import { BackgroundLoop, BackgroundWorker } from '../common/background-worker';
import { failureLog } from '../common/errors/failure-log';
import { formatMicros, type Micros, nowMicros, SECOND_MICROS } from '../common/time/clock';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { Outbox } from '../webhooks/outbox';
import { revisionOfBuild } from './event.store';
import type { SnippetError } from './snippet-error';
import { type Counted, SnippetErrorCounts } from './snippet-error-counts.store';

const EVENT = 'snippet.errors';
const TOLD_EVERY = 3_600 * SECOND_MICROS;
/** Interval at which a process writes its counts, regardless of the number of errors, and checks for due reports. */
const REST_MS = 10_000;
const FAILED = 'Snippet errors could not be counted for webhooks';

/**
 * Reports the number of snippet errors to webhooks, at most once an hour for each project. Errors are counted in memory
 * and stored at intervals, and only for projects with a webhook for snippet errors, so broken pages put little load on
 * the database.
 */
@Injectable()
export class SnippetErrorReports implements OnModuleDestroy {
  private readonly counted = new Map<number, Counted>();
  private readonly logger = new Logger(SnippetErrorReports.name);
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly database: Database,
    private readonly counts: SnippetErrorCounts,
    private readonly outbox: Outbox,
  ) {
    const step = async (): Promise<number> => {
      await this.flush();
      return REST_MS;
    };
    this.loop = new BackgroundLoop(this.logger, FAILED, step);
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
    if (this.counted.size > 0) {
      await this.flush().catch((error: unknown) => failureLog.report(this.logger, error, {}, FAILED));
    }
  }

  count(projectId: number, errors: number, since: Micros = nowMicros()): void {
    if (errors > 0) {
      this.loop.start();
      const earlier = this.counted.get(projectId) ?? { count: 0, since };
      this.counted.set(projectId, {
        count: earlier.count + errors,
        since: Math.min(earlier.since, since),
      });
    }
  }

  /** Stores this process's counts, and reports the counts of projects that had no report in the last hour. */
  async flush(now: Micros = nowMicros()): Promise<void> {
    for (const projectId of [...this.counted.keys()]) {
      await this.store(projectId, now);
    }
  }

  /** Reports stored counts that are due, including those of processes that have since stopped. */
  async tellWaiting(now: Micros = nowMicros()): Promise<void> {
    for (const projectId of await this.counts.waiting(now - TOLD_EVERY, now + TOLD_EVERY)) {
      await this.tell(projectId, { count: 0, since: now }, now);
    }
  }

  /**
   * Stores the count of a project. If errors cannot be stored, they are counted again and stored with the next errors.
   */
  private async store(projectId: number, now: Micros): Promise<void> {
    const counted = this.counted.get(projectId) ?? { count: 0, since: now };
    this.counted.delete(projectId);
    try {
      if (await this.outbox.isAwaited(projectId, EVENT)) {
        await this.tell(projectId, counted, now);
      }
    } catch (error) {
      this.count(projectId, counted.count, counted.since);
      throw error;
    }
  }

  private tell(projectId: number, added: Counted, now: Micros): Promise<void> {
    return this.database.transaction(async (tx) => {
      const { count, since, toldAt } = await this.counts.add(tx, projectId, added);
      if (count > 0 && Math.abs(now - toldAt) >= TOLD_EVERY) {
        const data = { count, since: formatMicros(since) };
        await this.outbox.record(tx, { type: EVENT, projectId, data }, now);
        await this.counts.noteTold(tx, projectId, now);
      }
    });
  }
}

/** Sends the reports that had to wait. Also runs in processes that count no errors. */
@Injectable()
export class SnippetErrorWorker extends BackgroundWorker {
  constructor(
    config: Config,
    private readonly reports: SnippetErrorReports,
  ) {
    super(config, 'Snippet errors could not be reported to webhooks; this will be retried');
  }

  protected async step(): Promise<number> {
    await this.reports.tellWaiting();
    return REST_MS;
  }
}

/** Maximum number of log lines per minute per project. A broken page reports errors for each of its visitors. */
const LINES_PER_MINUTE = 20;

/**
 * Reports snippet errors to operators. All errors are counted, but only a limited number per minute per project is
 * logged.
 */
@Injectable()
export class SnippetErrorLog {
  private readonly logger = new Logger('Snippet');
  private readonly lines = new MemoryWindow();
  private readonly reports: Counter;

  constructor(
    private readonly database: Database,
    private readonly hooks: SnippetErrorReports,
    registry: Registry,
  ) {
    this.reports = new Counter({
      name: 'gosset_snippet_errors_total',
      help: 'Errors in browser code reported by snippets',
      registers: [registry],
    });
  }

  /** Counts and logs errors. Does not wait for the log, because the snippet needs only an acknowledgement. */
  report(projectId: number, errors: readonly SnippetError[]): void {
    this.reports.inc(errors.length);
    this.hooks.count(projectId, errors.length);
    for (const error of errors) {
      void this.logWithinLimit(projectId, error);
    }
  }

  private async logWithinLimit(projectId: number, error: SnippetError): Promise<void> {
    const { hits } = this.lines.hit(String(projectId));
    if (hits <= LINES_PER_MINUTE) {
      await this.log(projectId, error);
    }
  }

  private async log(projectId: number, error: SnippetError): Promise<void> {
    const { experimentId, variationId, build, where, message, environment } = error;
    const revision = await this.revisionOf(projectId, build);
    const code = { projectId, experimentId, variationId, revision, environment, where };
    this.logger.warn({ ...code, msg: `Code on a page failed: ${message}` });
  }

  /** The revision of a build's latest publication; null if there is none or it cannot be read. */
  private async revisionOf(projectId: number, build: string): Promise<number | null> {
    if (build === '') {
      return null;
    }
    try {
      return await revisionOfBuild(this.database.read, projectId, build);
    } catch (error) {
      this.logger.warn({ err: error, msg: 'The publication of a failed snippet could not be looked up' });
      return null;
    }
  }
}
