import { Injectable, Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { AuditRetention } from '../audit/audit-retention';
import { IdempotencyKeys } from '../retries/idempotency-keys';
import { Sessions } from '../users/sessions';
import { TrashService } from './trash.service';

const HOUR_MS = 3_600_000;

/**
 * Deletes expired data while the server runs: trash and e-mail addresses of failed sign-ins after 30 days, stored
 * responses after one day, and expired sessions.
 */
@Injectable()
export class TrashCollector implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(TrashCollector.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly trash: TrashService,
    private readonly keys: IdempotencyKeys,
    private readonly sessions: Sessions,
    private readonly auditing: AuditRetention,
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
      await this.auditing.forgetAddresses();
      for (const { type, id } of await this.trash.purgeExpired('server')) {
        this.logger.log(`Purged ${type} ${id} from the trash`);
      }
    } catch (error) {
      this.logger.warn(`What is no longer kept could not be removed: ${String(error)}`);
    }
  }
}
