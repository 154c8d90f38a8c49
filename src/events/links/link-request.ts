import type { Micros } from '../../common/time/clock';
import { isObject } from '../../common/validation/values';
import { isFromBot, type RequestAgent } from '../devices';
import { isMissing } from '../segment-messages';
import { isVisitorId } from '../visitor-id';
import { idText, storedVisitor } from '../visitors';

/** Why two ids were not linked. */
export const LINK_REFUSALS = {
  invalid_id: 'One of the ids to link is not 1 to 64 printable ASCII characters.',
  bot: 'The user agent belongs to a bot.',
  same_id: 'The ids to link are the same.',
  both_linked: 'The ids to link belong to two visitors who both already have linked ids.',
  linked_to_other: 'The anonymous id is linked to another user.',
  limit:
    'The visitor has 50 linked ids, or has reached `EVENTS_PER_VISITOR` or would exceed it; or the project has 10 million links.',
} as const;

export type LinkRefusal = keyof typeof LINK_REFUSALS;

/**
 * Two ids of one visitor, in their stored form.
 * - `identify`: the visitor with the anonymous id `from` signed in as the user `to`.
 * - `alias`: the user `from` has the id `to` from now on.
 */
export interface LinkRequest {
  kind: 'identify' | 'alias';
  from: string;
  to: string;
  requestedAt: Micros;
  /** Why the ids cannot be linked, regardless of stored links; null if they may be linked. */
  refusal: LinkRefusal | null;
}

/** A link that was not stored. */
export interface IgnoredLink {
  link: LinkRequest;
  reason: LinkRefusal;
}

/**
 * A message with an event that also implies a link. Such messages are created by the server, never parsed from JSON.
 */
export class LinkingMessage {
  constructor(
    readonly message: unknown,
    readonly from: unknown,
    readonly to: unknown,
  ) {}
}

/** The link in a Segment message of type `identify` or `alias`; null if the message does not have two ids. */
export function linkOf(message: unknown, arrival: RequestAgent & { receivedAt: Micros }): LinkRequest | null {
  if (!isObject(message)) {
    return null;
  }
  const { type, anonymousId, previousId, userId, context } = message;
  if (type !== 'identify' && type !== 'alias') {
    return null;
  }
  const link = linkBetween(type, type === 'alias' ? previousId : anonymousId, userId, arrival.receivedAt);
  const isBot = isFromBot(isObject(context) ? context : null, arrival);
  return link === null || !isBot ? link : { ...link, refusal: 'bot' };
}

/** The link between two ids as sent; null if one of the ids is missing. */
export function linkBetween(
  kind: LinkRequest['kind'],
  givenFrom: unknown,
  givenTo: unknown,
  requestedAt: Micros,
): LinkRequest | null {
  if (isMissing(givenFrom) || isMissing(givenTo)) {
    return null;
  }
  const [from, to] = [visitorOf(givenFrom), visitorOf(givenTo)];
  if (from === null || to === null) {
    return { kind, from: '', to: '', requestedAt, refusal: 'invalid_id' };
  }
  return { kind, from, to, requestedAt, refusal: from === to ? 'same_id' : null };
}

function visitorOf(given: unknown): string | null {
  const text = idText(given);
  return typeof text === 'string' && isVisitorId(text) ? storedVisitor(text) : null;
}
