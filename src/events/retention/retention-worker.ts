import { Injectable } from '@nestjs/common';
import { BackgroundWorker } from '../../common/background-worker';
import { Config } from '../../config/config';
import { RetentionService } from './retention.service';

/** Pause between steps, so that other transactions come first. */
const PAUSE_MS = 20;
/** Pause when there is nothing to remove. */
const REST_MS = 60_000;

/** Removes old events. */
@Injectable()
export class RetentionWorker extends BackgroundWorker {
  constructor(
    config: Config,
    private readonly retention: RetentionService,
  ) {
    super(config, 'The removal of old events failed and will be tried again');
  }

  protected async step(): Promise<number> {
    if (await this.retention.step()) {
      return PAUSE_MS;
    }
    await this.retention.forgetExpired();
    return REST_MS;
  }
}
