import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { failureLog } from '../common/errors/failure-log';
import { Config } from '../config/config';
import { Attributor, Visitor } from './attributor';
import { RebuildService } from './rebuild.service';

/** Polling interval in milliseconds when idle, because another process may have collected events. */
const REST_MS = 500;
const REST_AFTER_FAILURE_MS = 1_000;

/** Attributes new events and applies changes of the counting rules, in the server process or in a separate one. */
@Injectable()
export class AttributionWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AttributionWorker.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: Config,
    private readonly attributor: Attributor,
    private readonly rebuilds: RebuildService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.worker !== 'off') {
      this.running = this.run();
    }
  }

  /** Waits for the current step to finish before the database closes. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    let after: Visitor | null = null;
    while (!this.stopping.signal.aborted) {
      try {
        after = await this.attributor.step(after);
        const isBehind = await this.rebuilds.follow();
        if (after === null && !isBehind) {
          await this.rest(REST_MS);
        }
      } catch (error) {
        failureLog.report(this.logger, error, {}, 'Attribution failed and will be tried again');
        await this.rest(REST_AFTER_FAILURE_MS);
      }
    }
  }

  private async rest(milliseconds: number): Promise<void> {
    try {
      await sleep(milliseconds, undefined, { signal: this.stopping.signal });
    } catch {
      // The server is stopping.
    }
  }
}
