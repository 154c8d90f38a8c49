import { MAX_LISTED, MAX_VISITOR_ID } from '../../common/limits';
import { cutCopy } from '../../common/text/strings';
import type { Micros } from '../../common/time/clock';
import { SNIPPET } from '../devices';
import { LinkingMessage } from '../links/link-request';
import { eventsIn, linkIn, type Outcome as Resolved, type ResolvedEvent } from '../message-outcome';
import { EXPOSURE } from '../exposure';
import { GoalConversion } from '../messages';
import type { Outcome } from './outcomes';
import type { Sending, Source } from './sending';

/**
 * The recorded fields of a message, or of a request that was refused before its messages were read. Long text is
 * truncated.
 */
export interface RecentMessage {
  /** Unique across processes. */
  id: string;
  receivedAt: Micros;
  outcome: Outcome;
  reason: string | null;
  source: Source;
  host: string | null;
  type: string | null;
  event: string | null;
  visitor: string | null;
  /** As sent. */
  experiment: string | null;
  variation: string | null;
  value: string | null;
  /** The error that a snippet reported. */
  detail: string | null;
  experimentId: number | null;
  variationId: number | null;
  goalIds: readonly number[];
  /** Id of the stored event, to detect duplicates; null if nothing was stored. */
  eventId: string | null;
  occurredAt: Micros | null;
}

const MAX_GOALS = 10;
const NO_GOALS: readonly number[] = [];
const NO_EVENTS: readonly ResolvedEvent[] = [];

/** The reason for a valid message that was not stored because another message in the same request was rejected. */
export const WITH_REJECTED = 'request_rejected';
export const LATE = 'late';

interface Given {
  type?: unknown;
  event?: unknown;
  anonymousId?: unknown;
  userId?: unknown;
  properties?: unknown;
  context?: unknown;
}

interface GivenProperties {
  experiment_id?: unknown;
  experimentId?: unknown;
  variation_id?: unknown;
  variationId?: unknown;
  value?: unknown;
}

/** Accepts any type, because the fields of an invalid message can have any type. */
function textOf(value: unknown, max: number): string | null {
  if (typeof value === 'string') {
    return value === '' ? null : cutCopy(value, max);
  }
  return typeof value === 'number' ? String(value) : null;
}

/** Identifies an entry of the list. */
export type Entry = Pick<RecentMessage, 'id' | 'receivedAt'>;

/**
 * The recorded fields of a message. Lists the fields one by one, because spreading objects takes forty times as long.
 * @param isStored false if nothing from its request was stored
 */
export function recentMessage(
  { id, receivedAt }: Entry,
  given: unknown,
  resolved: Resolved,
  { source, host }: Sending,
  isStored: boolean,
): RecentMessage {
  const message = given instanceof LinkingMessage ? given.message : given;
  const fields = message instanceof GoalConversion ? conversionFields(message) : messageFields(message);
  const events = isStored ? eventsIn(resolved) : NO_EVENTS;
  const first = events[0];
  return {
    id,
    receivedAt,
    outcome: outcomeOf(resolved, isStored),
    reason: reasonOf(resolved, isStored),
    source: isFromSnippet(message) ? 'snippet' : source,
    host,
    type: fields.type,
    event: fields.event,
    visitor: resolved === 'visitor_deleted' ? null : fields.visitor,
    experiment: fields.experiment,
    variation: fields.variation,
    value: fields.value,
    detail: detailOf(resolved),
    experimentId: first?.experiment_id ?? null,
    variationId: first?.variation_id ?? null,
    goalIds: first === undefined || first.goal_id === null ? NO_GOALS : goalsOf(events),
    eventId: first?.event_id ?? null,
    occurredAt: first?.occurred_at ?? null,
  };
}

/** A request that was refused before its messages were read. */
export const refusedRequest = (
  { id, receivedAt }: Entry,
  reason: string,
  { source, host }: Sending,
): RecentMessage => ({
  id,
  receivedAt,
  outcome: 'refused',
  reason,
  source,
  host,
  type: null,
  event: null,
  visitor: null,
  experiment: null,
  variation: null,
  value: null,
  detail: null,
  experimentId: null,
  variationId: null,
  goalIds: NO_GOALS,
  eventId: null,
  occurredAt: null,
});

/** Whether the message is a stored exposure. */
export const isStoredExposure = ({ outcome, event, eventId }: RecentMessage): boolean =>
  outcome === 'accepted' && eventId !== null && event === EXPOSURE;

function outcomeOf(resolved: Resolved, isStored: boolean): Outcome {
  if (typeof resolved === 'string' || !isStored) {
    return 'rejected';
  }
  const link = linkIn(resolved);
  const isNothing = Array.isArray(resolved) || link !== null;
  return isNothing && eventsIn(resolved).length === 0 && (link === null || link.refusal !== null)
    ? 'ignored'
    : 'accepted';
}

function reasonOf(resolved: Resolved, isStored: boolean): string | null {
  if (typeof resolved === 'string') {
    return resolved;
  }
  if (!isStored) {
    return WITH_REJECTED;
  }
  const events = eventsIn(resolved);
  const isLate = events.length > 0 && events[0].arrived_at !== null;
  return isLate ? LATE : (linkIn(resolved)?.refusal ?? null);
}

type Fields = Pick<RecentMessage, 'type' | 'event' | 'visitor' | 'experiment' | 'variation' | 'value'>;

function messageFields(given: unknown): Fields {
  const { type, event, anonymousId, userId, properties } = Object(given) as Given;
  const { experiment_id, experimentId, variation_id, variationId, value } = Object(
    properties,
  ) as GivenProperties;
  return {
    type: textOf(type, MAX_LISTED.type),
    event: textOf(event, MAX_LISTED.name),
    visitor: textOf(anonymousId, MAX_VISITOR_ID) ?? textOf(userId, MAX_VISITOR_ID),
    experiment: textOf(experiment_id ?? experimentId, MAX_LISTED.name),
    variation: textOf(variation_id ?? variationId, MAX_LISTED.name),
    value: textOf(value, MAX_LISTED.value),
  };
}

const conversionFields = ({ visitorId, goalId, type, value }: GoalConversion): Fields => ({
  type: textOf(type, MAX_LISTED.type),
  event: `goal ${goalId}`,
  visitor: textOf(visitorId, MAX_VISITOR_ID),
  experiment: null,
  variation: null,
  value: textOf(value, MAX_LISTED.value),
});

/** Whether the message identifies its sender as the snippet. */
export function isFromSnippet(given: unknown): boolean {
  const { context } = Object(given) as Given;
  const { library } = Object(context) as { library?: unknown };
  return (Object(library) as { name?: unknown }).name === SNIPPET;
}

const detailOf = (resolved: Resolved): string | null =>
  typeof resolved === 'object' && 'message' in resolved ? textOf(resolved.message, MAX_LISTED.detail) : null;

const goalsOf = (events: readonly ResolvedEvent[]): number[] =>
  events.slice(0, MAX_GOALS).flatMap(({ goal_id }) => (goal_id === null ? [] : [goal_id]));
