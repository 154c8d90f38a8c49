import { switchValue } from '../common/http/query-switch';
import type { VisitorEvent } from './attribution';
import type { IgnoredLink, LinkRequest } from './links/link-request';
import type { Rejection } from './messages';
import type { SnippetError } from './snippet-error';
import { idText } from './visitors';

export interface RejectedMessage {
  index: number;
  reason: Rejection;
}

/** The outcome of a request's messages. */
export interface Receipt {
  accepted: number;
  rejected: RejectedMessage[];
}

/**
 * Whether a collection request asks for rejection reasons. An invalid value counts as `strict=1`: rejecting it would
 * lose events, and ignoring it would hide the reasons from a developer who asks for them.
 */
export const isStrict = (query: unknown): boolean => switchValue(query, 'strict') ?? true;

/**
 * The response to a request.
 * @param messages the messages as received, to report their ids
 * @param isDetailed whether to include the reason for each rejection
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

/** An event in its stored form. */
export type ResolvedEvent = VisitorEvent & { visitor_id: string };

/** The events from a message that also links two ids. */
interface Linking {
  events: ResolvedEvent[];
  link: LinkRequest;
}

/** The outcome of a message: events to store (none if it is ignored), a link, an error report, or a rejection. */
export type Outcome = ResolvedEvent[] | Linking | SnippetError | Rejection;

/** The combined outcomes of a request's messages. */
export interface Resolution {
  events: ResolvedEvent[];
  /** Links between ids, in the order of the messages. */
  links: LinkRequest[];
  /** Errors reported by snippets; not stored. */
  errors: SnippetError[];
  /** One outcome for each message. */
  outcomes: readonly Outcome[];
  receipt: Receipt;
}

const NO_EVENTS: readonly ResolvedEvent[] = [];

const isLinking = (outcome: Outcome): outcome is Linking => typeof outcome === 'object' && 'link' in outcome;

export const isErrorReport = (outcome: Outcome): outcome is SnippetError =>
  typeof outcome === 'object' && !Array.isArray(outcome) && !isLinking(outcome);

/**
 * The events from a message. Empty for a message that only links ids, for an error report and for a rejected message.
 */
export function eventsIn(outcome: Outcome): readonly ResolvedEvent[] {
  if (Array.isArray(outcome)) {
    return outcome;
  }
  return isLinking(outcome) ? outcome.events : NO_EVENTS;
}

/** The link that a message implies; null if there is none. */
export const linkIn = (outcome: Outcome): LinkRequest | null => (isLinking(outcome) ? outcome.link : null);

/** The outcomes, updated with the reasons why some links were not stored. */
export function withIgnoredLinks(
  outcomes: readonly Outcome[],
  ignored: readonly IgnoredLink[],
): readonly Outcome[] {
  if (ignored.length === 0) {
    return outcomes;
  }
  const reasons = new Map(ignored.map(({ link, reason }) => [link, reason]));
  return outcomes.map((outcome) => {
    const refusal = isLinking(outcome) ? reasons.get(outcome.link) : undefined;
    return isLinking(outcome) && refusal !== undefined
      ? { ...outcome, link: { ...outcome.link, refusal } }
      : outcome;
  });
}

/** Returns the resolution with some of its messages rejected. */
export const rejecting = (
  resolution: Resolution,
  isConcerned: (outcome: Outcome) => boolean,
  reason: Rejection,
): Resolution =>
  resolutionOf(resolution.outcomes.map((outcome) => (isConcerned(outcome) ? reason : outcome)));

export function resolutionOf(outcomes: readonly Outcome[]): Resolution {
  const events: ResolvedEvent[] = [];
  const links: LinkRequest[] = [];
  const errors: SnippetError[] = [];
  const rejected: RejectedMessage[] = [];
  outcomes.forEach((outcome, index) => {
    events.push(...eventsIn(outcome));
    if (typeof outcome === 'string') {
      rejected.push({ index, reason: outcome });
    } else if (isErrorReport(outcome)) {
      errors.push(outcome);
    } else if (isLinking(outcome)) {
      links.push(outcome.link);
    }
  });
  return {
    events,
    links,
    errors,
    outcomes,
    receipt: { accepted: outcomes.length - rejected.length, rejected },
  };
}
