import { Inject, Injectable } from '@nestjs/common';
import { type Failure, TooLargeError, ValidationError } from '../../common/errors/api-errors';
import { mapInTurns } from '../../common/event-loop';
import { nowMicros } from '../../common/time/clock';
import type { KeyedProject } from '../../events/client-keys.store';
import { CollectionService, MAX_BATCH_EVENTS } from '../../events/collection.service';
import { type GoalConversion, REJECTIONS } from '../../events/messages';
import type { Receipt, RejectedMessage } from '../../events/message-outcome';
import type { Sending } from '../../events/recent/sending';
import { messageFrom } from './sdk-events';

/** The source of a request. */
export interface Sender {
  clientKey: string;
  /** See `Delivery`. */
  keyedProject?: KeyedProject | null;
  userAgent: string;
  /** Size of the body in bytes. */
  bytes: number;
  /** See `Delivery`. */
  sending?: Sending;
}

/** Collects events that are not sent as batches. */
@Injectable()
export class TrackingService {
  constructor(@Inject(CollectionService) private readonly collection: Pick<CollectionService, 'collect'>) {}

  /**
   * Stores all conversions, or none if one is invalid.
   * @throws ValidationError that names the conversions that cannot be stored
   */
  async convert(sender: Sender, conversions: readonly GoalConversion[]): Promise<void> {
    const { rejected } = await this.collect(sender, conversions, true);
    if (rejected.length > 0) {
      throw new ValidationError(rejected.map((each) => failureOf(each, conversions[each.index])));
    }
  }

  /**
   * Stores events from an SDK's tracking plugin.
   * @throws TooLargeError if there are more events than the server accepts at once
   */
  async collectFromSdk(sender: Sender, events: readonly unknown[]): Promise<Receipt> {
    if (events.length > MAX_BATCH_EVENTS) {
      throw new TooLargeError(MAX_BATCH_EVENTS);
    }
    const all = await mapInTurns(events, messageFrom);
    const messages = all
      .map((message, index) => ({ message, index }))
      .filter(({ message }) => message !== null);
    const receipt = await this.collect(
      sender,
      messages.map(({ message }) => message),
      false,
    );
    return {
      accepted: receipt.accepted + events.length - messages.length,
      rejected: receipt.rejected.map(({ index, reason }) => ({ index: messages[index].index, reason })),
    };
  }

  private collect(sender: Sender, messages: readonly unknown[], isWhole: boolean): Promise<Receipt> {
    return this.collection.collect({
      ...sender,
      messages,
      receivedAt: nowMicros(),
      sentAt: null,
      isWhole,
    });
  }
}

function failureOf({ index, reason }: RejectedMessage, { goalId, type }: GoalConversion): Failure {
  switch (reason) {
    case 'unknown_event':
      return { path: `events.${index}.id`, message: `The project has no goal ${goalId}.` };
    case 'wrong_goal_type':
      return { path: `events.${index}.type`, message: `The goal ${goalId} is not of type ${type}.` };
    case 'invalid_value':
      return { path: `events.${index}.value`, message: REJECTIONS.invalid_value };
    default:
      return { path: `events.${index}`, message: REJECTIONS[reason] };
  }
}
