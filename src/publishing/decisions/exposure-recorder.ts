import { Inject, Injectable } from '@nestjs/common';
import { TooManyAttemptsError } from '../../platform/rate-limit/rate-window';
import { TooLargeError, UnavailableError } from '../../common/errors/api-errors';
import { inTime } from '../../common/event-loop';
import { nowMicros } from '../../common/time/clock';
import { isUnavailable } from '../../database/errors';
import { CollectionService, type Delivery } from '../../events/collection.service';
import { exposureId } from '../../events/event-ids';
import { EXPOSURE } from '../../events/exposure-event';
import { Availability, DeliveryCounters } from '../availability';
import type { DecidableExperiment } from '../published';
import type { Visitor } from './visitor';

/** A variation that is shown to a visitor. */
export interface ShownVariation {
  experiment: DecidableExperiment;
  variationId: number;
}

type KeyHolder = Pick<Delivery, 'clientKey' | 'keyedProject' | 'sending'>;
type ShownVisitor = Pick<Visitor, 'id' | 'device'>;

/**
 * Timeout for storing exposures, in milliseconds. Storing normally takes a few milliseconds, and visitors must not wait
 * longer than the timeout.
 */
const RECORD_DEADLINE_MS = 2_000;

/**
 * Errors that mean that the project or the server cannot accept exposures at the moment. Visitors still get their
 * decisions.
 */
const REFUSALS = [UnavailableError, TooManyAttemptsError, TooLargeError];

/** Records the exposures of decisions. */
@Injectable()
export class ExposureRecorder {
  constructor(
    @Inject(CollectionService) private readonly collection: Pick<CollectionService, 'collect'>,
    private readonly availability: Availability,
    private readonly counters: DeliveryCounters,
  ) {}

  /**
   * Resolves when the exposures are committed, or without storing them if they currently cannot be stored, because
   * decisions do not need the database.
   * @returns whether all exposures have been stored
   */
  async record(holder: KeyHolder, visitor: ShownVisitor, shown: readonly ShownVariation[]): Promise<boolean> {
    if (shown.length === 0) {
      return true;
    }
    const messages = shown.map((each) => exposureOf(visitor, each));
    const isStored = !this.availability.isAway && (await this.isStored(holder, visitor, messages));
    if (!isStored) {
      this.counters.unrecorded.inc();
    }
    return isStored;
  }

  /**
   * @returns false if an exposure is rejected, and after a timeout, in which case the exposures may still be stored
   * later
   */
  private async isStored(
    holder: KeyHolder,
    { device }: ShownVisitor,
    messages: readonly object[],
  ): Promise<boolean> {
    const arrival = { bytes: 0, receivedAt: nowMicros(), sentAt: null };
    const collected = this.collection
      .collect({ ...arrival, ...holder, messages, userAgent: device.userAgent })
      .then(({ rejected }) => rejected.length === 0)
      .catch((error: unknown) => {
        if (REFUSALS.some((each) => error instanceof each) || isUnavailable(error)) {
          return false;
        }
        throw error;
      });
    return inTime(collected, RECORD_DEADLINE_MS, false);
  }
}

/** The message id is deterministic, so repeated decisions are recognised as duplicates. */
const exposureOf = (
  { id, device }: ShownVisitor,
  { experiment: { id: experimentId, phase }, variationId }: ShownVariation,
): object => ({
  type: 'track',
  event: EXPOSURE,
  anonymousId: id,
  messageId: exposureId(id, experimentId, variationId),
  properties: { experiment_id: experimentId, variation_id: variationId, phase },
  context: { device: { type: device.type } },
});
