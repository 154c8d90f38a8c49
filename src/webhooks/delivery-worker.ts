import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BackgroundWorker } from '../common/background-worker';
import { failureLog } from '../common/errors/failure-log';
import { Config } from '../config/config';
import { DeliverySender } from './delivery-sender';
import type { DueDelivery } from './delivery.store';

/** Interval in milliseconds at which the worker polls for events that other processes have written. */
const REST_MS = 500;
/** Maximum number of concurrent requests. One team gets at most half of them. */
const MAX_IN_FLIGHT = 40;

/** Sends webhook messages. Used only in processes that attribute events. */
@Injectable()
export class DeliveryWorker extends BackgroundWorker {
  /** Running requests. */
  private readonly inFlight = new Map<Promise<void>, DueDelivery>();

  constructor(
    config: Config,
    private readonly sender: DeliverySender,
  ) {
    super(config, 'Webhooks could not be read; this will be retried');
  }

  /** Waits for running requests, which end soon, so that their messages are not sent again. */
  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await Promise.all(this.inFlight.keys());
  }

  /**
   * Starts due deliveries. If there are none, or if the limit on requests is reached, waits until the polling interval
   * is over or a request has ended, because more deliveries may then be due.
   */
  protected async step(): Promise<number> {
    const claimed = await this.sender.claim(MAX_IN_FLIGHT - this.inFlight.size, [...this.inFlight.values()]);
    claimed.forEach((delivery) => this.start(delivery));
    if (claimed.length === 0 || this.inFlight.size === MAX_IN_FLIGHT) {
      await Promise.race([...this.inFlight.keys(), sleep(REST_MS)]);
    }
    return 0;
  }

  private start(delivery: DueDelivery): void {
    const sending: Promise<void> = this.sender
      .deliver(delivery)
      .catch((error: unknown) =>
        failureLog.report(this.logger, error, {}, 'The outcome of a delivery could not be stored'),
      )
      .finally(() => this.inFlight.delete(sending));
    this.inFlight.set(sending, delivery);
  }
}
