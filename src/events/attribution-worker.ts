import { Injectable } from '@nestjs/common';
import { BackgroundWorker } from '../common/background-worker';
import { Config } from '../config/config';
import { Attribution } from './attribution-steps';
import type { VisitorKey } from './event.store';
import { EventsMovingError } from './event-log';
import { RebuildService } from './rebuild.service';

/** Pause in milliseconds before the next attempt while events are being moved to ClickHouse. */
const PAUSE_MS = 1_000;

/** Attributes new events and applies changes to the counting rules. */
@Injectable()
export class AttributionWorker extends BackgroundWorker {
  private after: VisitorKey | null = null;

  constructor(
    config: Config,
    private readonly attribution: Attribution,
    private readonly rebuilds: RebuildService,
  ) {
    super(config, 'Attribution failed and will be retried');
  }

  protected async step(): Promise<number> {
    try {
      return await this.attribute();
    } catch (error) {
      if (error instanceof EventsMovingError) {
        return PAUSE_MS;
      }
      throw error;
    }
  }

  private async attribute(): Promise<number> {
    this.after = await this.attribution.step(this.after);
    const isBehind = await this.rebuilds.follow();
    return this.after === null && !isBehind ? this.attribution.restMs : 0;
  }
}
