import { Injectable, Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { AuditRetention } from '../../audit/audit-retention';
import { inTime } from '../../common/event-loop';
import { errorMessage } from '../../common/logging/logged-error';
import { DAY_MICROS, nowMicros } from '../../common/time/clock';
import { LeftoverCells } from '../../events/leftover-cells';
import { RecentEventsService } from '../../events/recent/recent-events.service';
import { IdempotencyKeys } from '../../platform/idempotency/idempotency-keys';
import { DeletedCopies } from '../../publishing/deleted-copies';
import { Sessions } from '../../users/sessions';
import { DeliveryStore } from '../../webhooks/delivery.store';
import { TrashService } from './trash.service';

const HOUR_MS = 3_600_000;
/**
 * The delay before the first run, in milliseconds. It leaves time for other work at startup, but is short enough for a
 * server that is restarted every few minutes.
 */
const FIRST_MS = 120_000;
/** How long a stopping server waits for the current part, in milliseconds. */
const STOP_MS = 2_000;
const KEPT_DELIVERIES = 30 * DAY_MICROS;

/**
 * Deletes expired data while the server runs: trash and the e-mail addresses from failed sign-ins after 30 days, stored
 * responses after one day, webhook deliveries after 30 days, and expired sessions. It also removes result cells that an
 * interrupted process left behind, cached revisions of deleted projects, and recent messages of purged projects.
 */
@Injectable()
export class TrashCollector implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(TrashCollector.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly trash: TrashService,
    private readonly keys: IdempotencyKeys,
    private readonly sessions: Sessions,
    private readonly auditing: AuditRetention,
    private readonly deliveries: DeliveryStore,
    private readonly cells: LeftoverCells,
    private readonly copies: DeletedCopies,
    private readonly recent: RecentEventsService,
  ) {}

  onApplicationBootstrap(): void {
    this.collectAfter(FIRST_MS);
  }

  /** Waits for the current part, because the database is closed next. A long purge is interrupted and continues later. */
  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await inTime(this.running, STOP_MS, undefined);
  }

  private collectAfter(milliseconds: number): void {
    if (!this.isStopped) {
      const collect = (): void => {
        this.running = this.collect().finally(() => this.collectAfter(HOUR_MS));
      };
      this.timer = setTimeout(collect, milliseconds).unref();
    }
  }

  /** Each part runs on its own, so a failure in one part does not prevent the other parts. */
  private async collect(): Promise<void> {
    await this.attempt(() => this.keys.purgeExpired());
    await this.attempt(() => this.sessions.purgeExpired());
    await this.attempt(() => this.auditing.forgetAddresses());
    await this.attempt(() => this.deliveries.purge(nowMicros() - KEPT_DELIVERIES));
    await this.attempt(() => this.cells.remove());
    await this.attempt(() => this.copies.remove());
    await this.attempt(() => this.purgeTrash());
    await this.attempt(() => this.recent.forgetPurged());
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    if (this.isStopped) {
      return;
    }
    try {
      await work();
    } catch (error) {
      this.logger.warn(`Expired data could not be removed: ${errorMessage(error)}`);
    }
  }

  private async purgeTrash(): Promise<void> {
    for (const { type, id } of await this.trash.purgeExpired('server')) {
      this.logger.log(`Purged ${type} ${id} from the trash`);
    }
  }
}
