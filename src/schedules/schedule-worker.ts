import { Injectable } from '@nestjs/common';
import { BackgroundWorker } from '../common/background-worker';
import { Config } from '../config/config';
import { SchedulesService } from './schedules.service';

/** Short, because the system clock may be set, and another process may have stored a schedule. */
const REST_MS = 1_000;

/** Makes scheduled status changes. */
@Injectable()
export class ScheduleWorker extends BackgroundWorker {
  constructor(
    config: Config,
    private readonly schedules: SchedulesService,
  ) {
    super(config, 'Schedules could not be read; this will be retried');
  }

  protected async step(): Promise<number> {
    await this.schedules.run();
    return REST_MS;
  }
}
