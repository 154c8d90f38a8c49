import { v7 as newId } from 'uuid';
import { isObject } from '../common/validation/values';
import { idText } from './visitors';

/* The messages of Segment's and RudderStack's libraries that are not events, and their spelling of event fields. */

/** Messages that describe visitors or app screens. They are accepted but not stored; some link ids. */
export const IGNORED_TYPES = ['identify', 'group', 'alias', 'screen'] as const;

const ignored: ReadonlySet<unknown> = new Set(IGNORED_TYPES);

/** Whether this is a message without an event. */
export const isIgnored = (message: unknown): boolean => isObject(message) && ignored.has(message.type);

/** Whether the body of `/v1/track` is a message of Segment's HTTP API. Ours has a list of events. */
export const isSegmentMessage = (body: unknown): boolean =>
  isObject(body) && typeof body.event === 'string' && body.events === undefined;

export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * A message in the form that is validated and stored: the visitor in `anonymousId`, which is `userId` if it is missing,
 * ids as text, and the time in `timestamp`. All other fields stay unchanged, so that errors refer to the sent values.
 * @param needsId whether the message must have its own id, because it may be read again
 */
export function normalizeMessage(message: unknown, needsId: boolean): unknown {
  if (!isObject(message)) {
    return message;
  }
  const { anonymousId, userId, messageId } = message;
  const visitor = idText(isMissing(anonymousId) && !isMissing(userId) ? userId : anonymousId);
  const id = !needsId && (messageId === undefined || messageId === null) ? newId() : idText(messageId);
  // RudderStack's libraries have the name that Segment uses after it has corrected the time.
  const timestamp = message.timestamp ?? message.originalTimestamp;
  return visitor === anonymousId && id === messageId && timestamp === message.timestamp
    ? message
    : { ...message, anonymousId: visitor, messageId: id, timestamp };
}
