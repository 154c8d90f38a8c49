import { Injectable } from '@nestjs/common';
import { ValidationError } from '../../common/errors/api-errors';
import { nowMicros } from '../../common/time/clock';
import type { Failure } from '../../common/validation/failure';
import { CollectionService } from '../../events/collection.service';
import type { GoalConversion } from '../../events/goal-conversion';
import { REJECTIONS } from '../../events/messages';
import type { Receipt, RejectedMessage } from '../../events/receipt';
import { messageFrom } from './sdk-events';

/** Where a delivery came from. */
export interface Sender {
  clientKey: string;
  userAgent: string;
  /** Size of the body. */
  bytes: number;
}

/** Takes what happened in other shapes than that of a batch. */
@Injectable()
export class TrackingService {
  constructor(private readonly collection: CollectionService) {}

  /**
   * Stores conversions, all of them or none.
   * @throws ValidationError naming those that cannot be stored
   */
  async convert(sender: Sender, conversions: readonly GoalConversion[]): Promise<void> {
    const { rejected } = await this.collect(sender, conversions, true);
    if (rejected.length > 0) {
      throw new ValidationError(rejected.map((each) => failureOf(each, conversions[each.index])));
    }
  }

  /** Stores what the tracking plugin of an SDK sends. */
  async collectFromSdk(sender: Sender, events: readonly unknown[]): Promise<Receipt> {
    const messages = events
      .map((event, index) => ({ message: messageFrom(event), index }))
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
      return { path: `events.${index}.type`, message: `The goal ${goalId} is not of the type ${type}.` };
    case 'invalid_value':
      return { path: `events.${index}.value`, message: REJECTIONS.invalid_value };
    default:
      return { path: `events.${index}`, message: REJECTIONS[reason] };
  }
}
