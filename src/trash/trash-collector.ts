import { Injectable, Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { TrashService } from './trash.service';

const HOUR_MS = 3_600_000;

/** Empties the trash of what has been there for 30 days, while the server runs. */
@Injectable()
export class TrashCollector implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(TrashCollector.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly trash: TrashService) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.collect(), HOUR_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async collect(): Promise<void> {
    try {
      for (const { type, id } of await this.trash.purgeExpired('server')) {
        this.logger.log(`Purged ${type} ${id} from the trash`);
      }
    } catch (error) {
      this.logger.warn(`The trash could not be emptied: ${String(error)}`);
    }
  }
}
