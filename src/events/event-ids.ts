import { v5, validate } from 'uuid';

/** Namespace for ids that are not UUIDs. It must never change, or duplicates would no longer be detected. */
const NAMESPACE = '5f0f0d5c-7d0b-5b0a-9d53-6f2b1a6f7c11';

/**
 * Replaces lone surrogates, because they cannot be encoded in UTF-8. Ids with lone surrogates are rejected elsewhere.
 */
const named = (text: string): string => v5(text.toWellFormed(), NAMESPACE);

/**
 * The stored id of a message: its `messageId` if that is a UUID, otherwise a UUID derived from it. It identifies one
 * exposure or conversion of one visitor, across all goals. Conversions of page views have further ids; see `conversionId`.
 */
export const eventId = (messageId: string): string =>
  validate(messageId) ? messageId.toLowerCase() : named(messageId);

/**
 * The id of an exposure that a decision records. There is one id per visitor per variation, so repeats are duplicates.
 */
export const exposureId = (
  visitorId: string,
  experimentId: number | string,
  variationId: number | string,
): string => named(`exposure:${visitorId}:${experimentId}:${variationId}`);

/** The id of a page view's conversion for one goal. A page view can be a conversion for several goals. */
export const conversionId = (id: string, goalId: number): string => named(`${id}:${goalId}`);
