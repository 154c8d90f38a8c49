import { Inject, Injectable } from '@nestjs/common';
import { TooManyAttemptsError } from '../../platform/rate-limit/rate-window';
import { TooLargeError, UnavailableError } from '../../common/errors/api-errors';
import { inTime } from '../../common/event-loop';
import { nowMicros } from '../../common/time/clock';
import { isUnavailable } from '../../database/errors';
import { CollectionService, type Delivery } from '../../events/collection.service';
import { exposureId } from '../../events/event-ids';
import { EXPOSURE } from '../../events/exposure';
import type { Receipt } from '../../events/message-outcome';
import { Availability, DeliveryCounters } from '../availability';
import type { Decision } from './decide';
import type { Visitor } from './visitor';

/** A variation that is shown to a visitor. */
export interface ShownVariation {
  experimentId: number;
  variationId: number;
  phase?: Decision['phase'];
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

/** `failed` means that an exposure is missing in the results, unlike the exposures of a `bot`, which never count. */
type Outcome = 'stored' | 'bot' | 'failed';

function outcomeOf({ rejected: [rejected] }: Receipt): Outcome {
  if (rejected === undefined) {
    return 'stored';
  }
  return rejected.reason === 'bot' ? 'bot' : 'failed';
}

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
    const outcome = this.availability.isAway ? 'failed' : await this.store(holder, messages);
    if (outcome === 'failed') {
      this.counters.unrecorded.inc();
    }
    return outcome === 'stored';
  }

  /** @returns `failed` also after a timeout, in which case the exposures may still be stored later */
  private async store(holder: KeyHolder, messages: readonly object[]): Promise<Outcome> {
    const arrival = { bytes: 0, receivedAt: nowMicros(), sentAt: null, userAgent: '' };
    const collected = this.collection
      .collect({ ...arrival, ...holder, messages })
      .then(outcomeOf)
      .catch((error: unknown): Outcome => {
        if (REFUSALS.some((each) => error instanceof each) || isUnavailable(error)) {
          return 'failed';
        }
        throw error;
      });
    return inTime<Outcome, Outcome>(collected, RECORD_DEADLINE_MS, 'failed');
  }
}

/** The message id is deterministic, so repeated decisions are recognised as duplicates. */
const exposureOf = (
  { id, device }: ShownVisitor,
  { experimentId, variationId, phase }: ShownVariation,
): object => ({
  type: 'track',
  event: EXPOSURE,
  anonymousId: id,
  messageId: exposureId(id, experimentId, variationId),
  properties: { experiment_id: experimentId, variation_id: variationId, phase },
  context: { device: { type: device.type }, userAgent: device.userAgent },
});
