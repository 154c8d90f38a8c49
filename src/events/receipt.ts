import type { Rejection } from './messages';
import { idText } from './visitors';

export interface RejectedMessage {
  index: number;
  reason: Rejection;
}

/** Outcome of each message of a request. */
export interface Receipt {
  accepted: number;
  rejected: RejectedMessage[];
}

/** Does the caller of a collection request want the reasons for rejections? Other values than 1 and true do not. */
export const isStrict = ({ strict }: Record<string, unknown>): boolean => strict === '1' || strict === 'true';

/**
 * The response to a request.
 * @param messages as received, for their ids
 * @param isDetailed include the reason of each rejection
 */
export function receiptAnswer(
  { accepted, rejected }: Receipt,
  messages: readonly unknown[],
  isDetailed: boolean,
): object {
  const summary = { success: true, accepted, rejected: rejected.length };
  if (!isDetailed) {
    return summary;
  }
  const errors = rejected.map(({ index, reason }) => ({
    index,
    messageId: messageIdOf(messages[index]),
    reason,
  }));
  return { ...summary, errors };
}

function messageIdOf(message: unknown): string | null {
  const { messageId } = Object(message) as { messageId?: unknown };
  const text = idText(messageId);
  return typeof text === 'string' ? text : null;
}
