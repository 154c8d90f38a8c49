import { Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Config } from '../config/config';
import { BackgroundLoop } from './background-loop';

/** Repeats a step in processes with a worker (`WORKER`): in the server process or in a separate one. */
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
