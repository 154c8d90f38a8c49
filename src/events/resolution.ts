import { mapInTurns } from '../common/event-loop';
import { LATE_MICROS, MAX_ADDRESS } from '../common/limits';
import { MatchingTime, MESSAGE_FREE_MS } from '../common/patterns/matching-time';
import { type Micros, parseTimestamp } from '../common/time/clock';
import { idOf } from '../common/validation/values';
import { acceptedPhase, isRunning, lateArrival, UNKNOWN_PHASE_NUMBER } from './counting-rules';
import {
  type Definitions,
  type ExperimentDefinition,
  findExperiment,
  findGoal,
  findVariation,
  type GoalDefinition,
} from './definitions';
import { deviceOf, isFromBot, type RequestAgent, SNIPPET } from './devices';
import { conversionId, eventId } from './event-ids';
import { linkBetween, LinkingMessage, linkOf, type LinkRequest } from './links/link-request';
import { type Outcome, type Resolution, resolutionOf, type ResolvedEvent } from './message-outcome';
import { checkMessage } from './message-check';
import { viewedGoals } from './pageview-goals';
import { EXPOSURE, UNKNOWN_PHASE } from './exposure';
import { GoalConversion, Message, Rejection } from './messages';
import { isIgnored, normalizeMessage } from './segment-messages';
import { readSnippetError } from './snippet-error';
import { parseValue } from './values';
import { storedVisitor } from './visitors';

/**
 * Maximum age of events, so that none arrives once a result is final. Older events are set to this age, because a wrong
 * clock is more likely than a visitor who was offline for three days.
 */
const MAX_AGE_MICROS = LATE_MICROS;

/**
 * The earliest time of an imported event. Earlier times, such as the year 1 or 1970, come from clocks that were never
 * set or from missing values. Imports move an experiment's start back to its first exposure, so such a time would give
 * the results a row for each day since then.
 */
const EARLIEST_IMPORTED: Micros = Date.UTC(2000, 0) * 1_000;

/**
 * The event time by the server's clock: the time of receipt minus the interval from `timestamp` to `sentAt`. Never in
 * the future, and at most 72 hours ago unless the client is trusted.
 * @param sentAt when the client sent the message, by its own clock; if null, the clock is assumed to be correct
 */
export function occurredAt(
  received: Micros,
  sentAt: Micros | null,
  timestamp: Micros | null,
  isTrusted = false,
): Micros {
  if (timestamp === null) {
    return received;
  }
  const own = sentAt === null ? timestamp : received - (sentAt - timestamp);
  const oldest = isTrusted ? 0 : received - MAX_AGE_MICROS;
  return Math.min(received, Math.max(oldest, own));
}

/** Context for resolving one batch. */
interface Arrival extends RequestAgent {
  definitions: Definitions;
  receivedAt: Micros;
  /** Time of sending, by the client's clock. */
  sentAt: Micros | null;
  source: EventSource;
}

/**
 * Source of events, which determines how far they are trusted:
 * - `site`: anyone with the client key. The maximum age of events is three days; older events are set to this age.
 * - `trusted`: a user with an API token. Events may be of any age.
 * - `import`: the admin command. Events keep their timestamps, and may be earlier than the start of their experiment.
 */
type EventSource = 'site' | 'trusted' | 'import';

/** Resolves a request's messages. @throws UnavailableError if the project's patterns take too long (not for imports) */
export function resolveMessages(messages: readonly unknown[], arrival: Arrival): Resolution {
  return resolutionOf(messages.map((message) => resolveInTime(message, arrival)));
}

/** Like `resolveMessages`, but yields to the event loop if many patterns have to be matched. */
export async function resolveInTurns(messages: readonly unknown[], arrival: Arrival): Promise<Resolution> {
  return resolutionOf(await mapInTurns(messages, (message) => resolveInTime(message, arrival)));
}

function resolveInTime(message: unknown, arrival: Arrival): Outcome {
  const resolve = (): Outcome => resolveMessage(message, arrival);
  return arrival.source === 'import'
    ? resolve()
    : new MatchingTime(arrival.definitions.projectId, MESSAGE_FREE_MS).count(resolve);
}

/**
 * Resolves a message to one exposure, conversions for one or more goals, a link, a snippet's error report, or a
 * rejection. A message that is ignored resolves to no events.
 */
function resolveMessage(given: unknown, arrival: Arrival): Outcome {
  if (given instanceof GoalConversion) {
    return resolveGoalConversion(given, arrival);
  }
  if (given instanceof LinkingMessage) {
    const { message, from, to } = given;
    return withLink(resolveMessage(message, arrival), linkBetween('identify', from, to, arrival.receivedAt));
  }
  if (isIgnored(given)) {
    return withLink([], linkOf(given, arrival));
  }
  const { message: checked, mistakes } = checkMessage(normalizeMessage(given, arrival.source === 'import'));
  if (mistakes.has('invalid_message')) {
    return 'invalid_message';
  }
  const message = checked as Message;
  const userAgent = message.context?.userAgent ?? arrival.userAgent;
  if (isFromBot(message.context, arrival)) {
    return 'bot';
  }
  const mistake = (['invalid_visitor', 'invalid_message_id'] as const).find((each) => mistakes.has(each));
  if (mistake !== undefined) {
    return mistake;
  }
  const occurred_at = timeOf(message, arrival);
  if (typeof occurred_at === 'string') {
    return occurred_at;
  }
  const device = deviceOf(message.context?.device?.type, userAgent);
  return resolveKind(message, arrival, {
    visitor_id: storedVisitor(message.anonymousId),
    event_id: eventId(message.messageId),
    occurred_at,
    arrived_at: lateArrival(occurred_at, arrival.receivedAt),
    device,
  });
}

/** Adds the link to the outcome of a message. A rejected message links no ids. */
const withLink = (outcome: Outcome, link: LinkRequest | null): Outcome =>
  Array.isArray(outcome) && link !== null ? { events: outcome, link } : outcome;

type Base = Pick<ResolvedEvent, 'visitor_id' | 'event_id' | 'occurred_at' | 'arrived_at' | 'device'>;

function resolveKind(message: Message, arrival: Arrival, base: Base): Outcome {
  if (message.type === 'page') {
    return resolvePageView(message, arrival, base);
  }
  const isSnippet = message.context?.library?.name === SNIPPET && arrival.source === 'site';
  if (message.type === 'error' && isSnippet) {
    return readSnippetError(message.properties) ?? 'invalid_message';
  }
  if (message.type !== 'track') {
    return 'unknown_type';
  }
  return message.event === EXPOSURE
    ? resolveExposure(message, arrival, base)
    : resolveConversion(message, arrival, base);
}

function timeOf({ timestamp }: Message, { receivedAt, sentAt, source }: Arrival): Micros | Rejection {
  const own = timestamp === undefined || timestamp === null ? null : parseTimestamp(timestamp);
  if (own === null && timestamp !== undefined && timestamp !== null) {
    return 'invalid_timestamp';
  }
  if (source !== 'import') {
    return occurredAt(receivedAt, sentAt, own, source === 'trusted');
  }
  if (own === null || own < EARLIEST_IMPORTED) {
    return 'invalid_timestamp';
  }
  return own > receivedAt ? 'timestamp_in_future' : own;
}

function resolveExposure(
  { properties }: Message,
  { definitions, receivedAt, source }: Arrival,
  base: Base,
): ResolvedEvent[] | Rejection {
  const experiment = findExperiment(definitions, properties?.experiment_id ?? properties?.experimentId);
  if (experiment === undefined) {
    return 'unknown_experiment';
  }
  const variation_id = findVariation(experiment, properties?.variation_id ?? properties?.variationId);
  if (variation_id === undefined) {
    return 'unknown_variation';
  }
  const { finalAt } = experiment.rules;
  if (source !== 'site' && finalAt !== null && receivedAt >= finalAt) {
    return 'result_final';
  }
  if (!isExposed(experiment, base.occurred_at, source === 'import')) {
    return experiment.isPreviewed ? 'experiment_in_preview' : 'experiment_not_running';
  }
  return [
    {
      visitor_id: base.visitor_id,
      event_id: base.event_id,
      occurred_at: base.occurred_at,
      arrived_at: base.arrived_at,
      experiment_id: experiment.id,
      variation_id,
      phase: saidPhase(properties?.phase, experiment),
      goal_id: null,
      value: null,
      device: base.device,
    },
  ];
}

/** The phase to store: the reported one if it exists or is unknown, otherwise null. */
const saidPhase = (given: unknown, { rules }: ExperimentDefinition): number | null =>
  acceptedPhase(rules, given === UNKNOWN_PHASE ? UNKNOWN_PHASE_NUMBER : idOf(given));

function isExposed({ rules }: ExperimentDefinition, at: Micros, isImport: boolean): boolean {
  const [first] = rules.runs;
  const isBeforeStart = first !== undefined && at < first.startedAt;
  return (isImport && isBeforeStart) || isRunning(rules, at);
}

function resolveConversion(
  { event, properties }: Message,
  { definitions, receivedAt, source }: Arrival,
  base: Base,
): ResolvedEvent[] | Rejection {
  const goal = findGoal(definitions, event ?? '', { at: base.occurred_at, receivedAt });
  if (goal === undefined) {
    return 'unknown_event';
  }
  return isBelieved(goal, source) ? conversionOf(goal, properties?.value, base) : 'untrusted';
}

/** Whether the goal accepts conversions from this source. */
const isBelieved = ({ isTrustedOnly }: GoalDefinition, source: EventSource): boolean =>
  !isTrustedOnly || source !== 'site';

function resolveGoalConversion(
  { visitorId, messageId, goalId, type, value, device }: GoalConversion,
  arrival: Arrival,
): ResolvedEvent[] | Rejection {
  if (isFromBot(device, arrival)) {
    return 'bot';
  }
  const { definitions, receivedAt, source } = arrival;
  const goal = definitions.goals.get(goalId);
  if (goal === undefined) {
    return 'unknown_event';
  }
  if (type !== null && type !== goal.type) {
    return 'wrong_goal_type';
  }
  if (!isBelieved(goal, source)) {
    return 'untrusted';
  }
  return conversionOf(goal, value, {
    visitor_id: storedVisitor(visitorId),
    event_id: eventId(messageId),
    occurred_at: receivedAt,
    arrived_at: null,
    device: deviceOf(device.type, device.userAgent),
  });
}

function conversionOf(goal: GoalDefinition, given: unknown, base: Base): ResolvedEvent[] | Rejection {
  const isGiven = goal.hasValue && given !== undefined && given !== null;
  const value = isGiven ? parseValue(given) : null;
  return isGiven && value === null ? 'invalid_value' : [conversion(base, goal, value)];
}

function resolvePageView(
  { properties, context }: Message,
  { definitions, receivedAt, source }: Arrival,
  base: Base,
): ResolvedEvent[] | Rejection {
  const url = properties?.url ?? context?.page?.url ?? '';
  if (url.length > MAX_ADDRESS || !URL.canParse(url)) {
    return 'invalid_url';
  }
  const matching = viewedGoals(definitions.pageviewGoals, url, { at: base.occurred_at, receivedAt });
  const goals = matching.filter((goal) => isBelieved(goal, source));
  if (goals.length === 0) {
    return matching.length === 0 ? 'no_matching_page' : 'untrusted';
  }
  return goals.map((goal) => ({
    ...conversion(base, goal, null),
    event_id: conversionId(base.event_id, goal.id),
  }));
}

/** Lists the fields one by one, because spreading objects would dominate the processing time. */
const conversion = (base: Base, goal: GoalDefinition, value: number | null): ResolvedEvent => ({
  visitor_id: base.visitor_id,
  event_id: base.event_id,
  occurred_at: base.occurred_at,
  arrived_at: base.arrived_at,
  experiment_id: null,
  variation_id: null,
  goal_id: goal.id,
  value,
  device: base.device,
});
