import { Injectable, Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { IdempotencyKeys } from '../retries/idempotency-keys';
import { Sessions } from '../users/sessions';
import { TrashService } from './trash.service';

const HOUR_MS = 3_600_000;

/**
 * Removes what is kept for a time only, while the server runs: the trash for 30 days, answers to keys for one, sessions
 * until they expire.
 */
@Injectable()
export class TrashCollector implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(TrashCollector.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly trash: TrashService,
    private readonly keys: IdempotencyKeys,
    private readonly sessions: Sessions,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.collect(), HOUR_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async collect(): Promise<void> {
    try {
      await this.keys.purgeExpired();
      await this.sessions.purgeExpired();
      for (const { type, id } of await this.trash.purgeExpired('server')) {
        this.logger.log(`Purged ${type} ${id} from the trash`);
      }
    } catch (error) {
      this.logger.warn(`What is no longer kept could not be removed: ${String(error)}`);
    }
  }
}
