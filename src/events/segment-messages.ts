import { v7 as newId } from 'uuid';
import { isObject } from '../common/validation/values';
import { idText } from './visitors';

/* Non-event messages from Segment's and RudderStack's libraries, and the libraries' names for event fields. */

/** Messages that describe visitors or app screens. They are accepted but not stored; some link ids. */
export const IGNORED_TYPES = ['identify', 'group', 'alias', 'screen'] as const;

const ignored: ReadonlySet<unknown> = new Set(IGNORED_TYPES);

/** Whether this is a message without an event. */
export const isIgnored = (message: unknown): boolean => isObject(message) && ignored.has(message.type);

/**
 * Whether the body of `/v1/track` is a message in the format of Segment's HTTP API. The server's own format has a list,
 * `events`, instead.
 */
export const isSegmentMessage = (body: unknown): boolean =>
  isObject(body) && typeof body.event === 'string' && body.events === undefined;

export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * Converts a message to the form that is validated and stored: `anonymousId` is the visitor, taken from `userId` if
 * there is no `anonymousId`, ids are strings, and `timestamp` is the time. All other fields are unchanged, so errors
 * refer to the sent values.
 * @param needsId whether the message must have its own id, because the same file may be imported again
 */
export function normalizeMessage(message: unknown, needsId: boolean): unknown {
  if (!isObject(message)) {
    return message;
  }
  const { anonymousId, userId, messageId } = message;
  const visitor = idText(isMissing(anonymousId) && !isMissing(userId) ? userId : anonymousId);
  const id = !needsId && (messageId === undefined || messageId === null) ? newId() : idText(messageId);
  // RudderStack's libraries send `originalTimestamp`, which is Segment's name for the time before correction.
  const timestamp = message.timestamp ?? message.originalTimestamp;
  return visitor === anonymousId && id === messageId && timestamp === message.timestamp
    ? message
    : { ...message, anonymousId: visitor, messageId: id, timestamp };
}
