import { v5, validate } from 'uuid';

/** Of ids that clients send in another form; it never changes, or repeats would no longer be recognised. */
const NAMESPACE = '5f0f0d5c-7d0b-5b0a-9d53-6f2b1a6f7c11';

/** The id under which a message is stored: its own if it is a UUID, otherwise one made from it. */
export const eventId = (messageId: string): string =>
  validate(messageId) ? messageId.toLowerCase() : v5(messageId, NAMESPACE);

/** The id of the one exposure of a visitor to a variation that decisions record, however often they are asked for. */
export const exposureId = (visitorId: string, experimentId: number, variationId: number): string =>
  v5(`exposure:${visitorId}:${experimentId}:${variationId}`, NAMESPACE);

/** The id of one of the conversions that a page view is. */
export const conversionId = (id: string, goalId: number): string => v5(`${id}:${goalId}`, NAMESPACE);
