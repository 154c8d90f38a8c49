import type { Rejection } from './messages';

export interface RejectedMessage {
  index: number;
  reason: Rejection;
}

/** What became of the messages of a delivery. */
export interface Receipt {
  accepted: number;
  rejected: RejectedMessage[];
}

/** Does the caller ask why messages were rejected? */
export const isStrict = ({ strict }: Record<string, unknown>): boolean => strict === '1' || strict === 'true';

/**
 * The answer to a delivery.
 * @param messages as they came, for their ids
 * @param isDetailed with the reason of each rejection
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
  return typeof messageId === 'string' ? messageId : null;
}
