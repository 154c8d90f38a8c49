import { Logger, type LoggerService, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { AsyncResource } from 'node:async_hooks';
import { setImmediate as othersTurn, setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../config/config';
import { failureLog } from './errors/failure-log';

const REST_AFTER_FAILURE_MS = 1_000;

/** Repeats a step until the process stops. If a step fails, the loop logs the failure and continues. */
export class BackgroundLoop {
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;
  /** Runs the steps outside the context of the caller that starts the loop, for example its database connections. */
  private readonly runApart = AsyncResource.bind(() => this.run());

  /**
   * @param step returns the milliseconds to wait before the next step; with 0, it continues after yielding to the event
   * loop once
   * @param failed log message for a failed step
   */
  constructor(
    private readonly logger: Pick<LoggerService, 'error'>,
    private readonly failed: string,
    private readonly step: () => Promise<number>,
  ) {}

  /** Starts the loop. Has no effect if it is already running. */
  start(): void {
    this.running ??= this.runApart();
  }

  /** Waits for the current step to finish, so the database can be closed. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.rest(await this.stepped());
    }
  }

  private async stepped(): Promise<number> {
    try {
      return await this.step();
    } catch (error) {
      failureLog.report(this.logger, error, {}, this.failed);
      return REST_AFTER_FAILURE_MS;
    }
  }

  /**
   * Waits before the next step. SQLite is synchronous, so without yielding to the event loop, requests would wait until
   * many steps are done.
   */
  private async rest(milliseconds: number): Promise<void> {
    if (milliseconds === 0) {
      await othersTurn();
      return;
    }
    try {
      await sleep(milliseconds, undefined, { signal: this.stopping.signal });
    } catch {
      // The process is stopping.
    }
  }
}

/** Repeats a step in each process that runs the background work (`WORKER`): the server process or a separate one. */
export abstract class BackgroundWorker implements OnApplicationBootstrap, OnModuleDestroy {
  protected readonly logger: Logger;
  private readonly loop: BackgroundLoop;

  /** @param failed log message for a failed step */
  constructor(
    private readonly config: Config,
    failed: string,
  ) {
    this.logger = new Logger(new.target.name);
    this.loop = new BackgroundLoop(this.logger, failed, () => this.step());
  }

  onApplicationBootstrap(): void {
    if (this.config.worker !== 'off') {
      this.loop.start();
    }
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  /** Returns the milliseconds to wait before the next step; 0 continues after a turn of the event loop. */
  protected abstract step(): Promise<number>;
}
