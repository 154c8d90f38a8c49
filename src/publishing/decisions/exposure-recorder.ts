import { Inject, Injectable } from '@nestjs/common';
import { TooManyAttemptsError } from '../../auth/rate-limit/rate-window';
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

/** A variation that a visitor is shown. */
export interface ShownVariation {
  experiment: DecidableExperiment;
  variationId: number;
}

type KeyHolder = Pick<Delivery, 'clientKey' | 'keyedProject' | 'sending'>;
type ShownVisitor = Pick<Visitor, 'id' | 'device'>;

/** Timeout: normally an exposure is stored within milliseconds, and a visitor must not wait longer. */
const RECORD_DEADLINE_MS = 2_000;

/** The project or the server cannot take the exposures now. Visitors get their decisions all the same. */
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
   * Resolves when the exposures are committed or currently cannot be stored; decisions do not need the database.
   * @returns whether all of them are stored
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

  /** @returns false if one is rejected, and on timeout; after that, the exposures may still be stored */
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

/** A deterministic message id for each exposure, so that repeated decisions are duplicates. */
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
