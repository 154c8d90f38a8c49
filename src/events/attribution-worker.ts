import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Config } from '../config/config';
import { Attributor, Visitor } from './attributor';

/** How long it rests when there is nothing to do; another process may have collected something meanwhile. */
const REST_MS = 500;
const REST_AFTER_FAILURE_MS = 1_000;

/** Attributes events as they come, in the server process or in one of its own. */
@Injectable()
export class AttributionWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AttributionWorker.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: Config,
    private readonly attributor: Attributor,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.worker !== 'off') {
      this.running = this.run();
    }
  }

  /** Lets the step under way finish before the database closes. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    let after: Visitor | null = null;
    while (!this.stopping.signal.aborted) {
      try {
        after = await this.attributor.step(after);
        if (after === null) {
          await this.rest(REST_MS);
        }
      } catch (error) {
        this.logger.error({ err: error }, 'Attribution failed and will be tried again');
        await this.rest(REST_AFTER_FAILURE_MS);
      }
    }
  }

  private async rest(milliseconds: number): Promise<void> {
    try {
      await sleep(milliseconds, undefined, { signal: this.stopping.signal });
    } catch {
      // The server stops.
    }
  }
}
