import type { Micros } from '../common/time/clock';
import { idOf } from '../common/validation/ids';
import { pageMatches } from '../pages/page-matching';
import type { VisitorEvent } from './attribution';
import type { Definitions, ExperimentDefinition, GoalDefinition, Run } from './definitions';
import { deviceOf, isBotAgent } from './devices';
import { conversionId, eventId } from './event-ids';
import { occurredAt, parseTimestamp } from './event-times';
import { GoalConversion } from './goal-conversion';
import { isMessage, Message, Rejection } from './messages';
import type { Receipt, RejectedMessage } from './receipt';
import { readSnippetError, SnippetError } from './snippet-error';
import { parseValue } from './values';
import { isVisitorId } from './visitors';

/** An event as it will be stored. */
export type ResolvedEvent = VisitorEvent & { visitor_id: string };

/** How the messages of one batch are to be understood. */
export interface Arrival {
  definitions: Definitions;
  receivedAt: Micros;
  /** When the client says that it sent them, by its own clock. */
  sentAt: Micros | null;
  /** Of the request, for messages that do not say. */
  userAgent: string;
  /** Imported events keep their own times, and may lie before the start of their experiment. */
  isImport: boolean;
}

export const EXPOSURE = 'Experiment Viewed';
const BROWSER_LIBRARY = 'gosset.js';
const MAX_MESSAGE_ID = 255;
const MAX_URL = 2_048;
/** An id that nothing has. */
const NOBODY = 0;

/** What becomes of messages that arrived together. */
export interface Resolution {
  events: ResolvedEvent[];
  /** What snippets report; it is not stored. */
  errors: SnippetError[];
  receipt: Receipt;
}

/** What messages that arrived together are stored as, and what becomes of each. */
export function resolveMessages(messages: readonly unknown[], arrival: Arrival): Resolution {
  const events: ResolvedEvent[] = [];
  const errors: SnippetError[] = [];
  const rejected: RejectedMessage[] = [];
  messages.forEach((message, index) => {
    const outcome = resolveMessage(message, arrival);
    if (typeof outcome === 'string') {
      rejected.push({ index, reason: outcome });
    } else if (Array.isArray(outcome)) {
      events.push(...outcome);
    } else {
      errors.push(outcome);
    }
  });
  return { events, errors, receipt: { accepted: messages.length - rejected.length, rejected } };
}

type Outcome = ResolvedEvent[] | SnippetError | Rejection;

/**
 * What a message is to be stored as, or why it is not: one exposure, or the conversions of one or more goals. Reports
 * of snippets are told instead.
 */
function resolveMessage(message: unknown, arrival: Arrival): Outcome {
  if (message instanceof GoalConversion) {
    return resolveGoalConversion(message, arrival);
  }
  if (!isMessage(message)) {
    return 'invalid_message';
  }
  const userAgent = message.context?.userAgent ?? arrival.userAgent;
  if (message.context?.library?.name === BROWSER_LIBRARY && isBotAgent(userAgent)) {
    return 'bot';
  }
  const anonymousId = message.anonymousId ?? '';
  if (!isVisitorId(anonymousId)) {
    return 'invalid_visitor';
  }
  const messageId = message.messageId ?? '';
  if (messageId === '' || messageId.length > MAX_MESSAGE_ID) {
    return 'invalid_message_id';
  }
  const occurred_at = timeOf(message, arrival);
  if (typeof occurred_at === 'string') {
    return occurred_at;
  }
  const device = deviceOf(message.context?.device?.type, userAgent);
  return resolveKind(message, arrival, {
    visitor_id: storedVisitor(anonymousId),
    event_id: eventId(messageId),
    occurred_at,
    device,
  });
}

/**
 * MySQL takes texts for equal that differ in trailing blanks only, so such an id gets an end that is not blank. No id
 * has this character, and it sorts after all that ids have, so the order of ids is the same everywhere.
 */
const storedVisitor = (anonymousId: string): string =>
  anonymousId.endsWith(' ') ? `${anonymousId}\x7f` : anonymousId;

type Base = Pick<ResolvedEvent, 'visitor_id' | 'event_id' | 'occurred_at' | 'device'>;

function resolveKind(message: Message, arrival: Arrival, base: Base): Outcome {
  if (message.type === 'page') {
    return resolvePageView(message, arrival, base);
  }
  if (message.type === 'error' && message.context?.library?.name === BROWSER_LIBRARY && !arrival.isImport) {
    return readSnippetError(message.properties) ?? 'invalid_message';
  }
  if (message.type !== 'track') {
    return 'unknown_type';
  }
  return message.event === EXPOSURE
    ? resolveExposure(message, arrival, base)
    : resolveConversion(message, arrival, base);
}

function timeOf({ timestamp }: Message, { receivedAt, sentAt, isImport }: Arrival): Micros | Rejection {
  const own = timestamp === undefined || timestamp === null ? null : parseTimestamp(timestamp);
  if (own === null && timestamp !== undefined && timestamp !== null) {
    return 'invalid_timestamp';
  }
  if (!isImport) {
    return occurredAt(receivedAt, sentAt, own);
  }
  if (own === null) {
    return 'invalid_timestamp';
  }
  return own > receivedAt ? 'timestamp_in_future' : own;
}

function resolveExposure(
  { properties }: Message,
  { definitions, isImport }: Arrival,
  base: Base,
): ResolvedEvent[] | Rejection {
  const experiment = definitions.experiments.get(idOf(properties?.experiment_id) ?? NOBODY);
  if (experiment === undefined) {
    return 'unknown_experiment';
  }
  const variation_id = idOf(properties?.variation_id) ?? NOBODY;
  if (!experiment.variationIds.has(variation_id)) {
    return 'unknown_variation';
  }
  if (!isExposed(experiment, base.occurred_at, isImport)) {
    return experiment.isPreviewed ? 'experiment_in_preview' : 'experiment_not_running';
  }
  return [
    {
      visitor_id: base.visitor_id,
      event_id: base.event_id,
      occurred_at: base.occurred_at,
      experiment_id: experiment.id,
      variation_id,
      goal_id: null,
      value: null,
      device: base.device,
    },
  ];
}

function isExposed({ runs }: ExperimentDefinition, at: Micros, isImport: boolean): boolean {
  const [first] = runs;
  const isBeforeStart = first !== undefined && at < first.startedAt;
  return (isImport && isBeforeStart) || runs.some((run) => covers(run, at));
}

/** Clients' clocks have whole milliseconds, so the one in which the experiment started is part of the run. */
const covers = ({ startedAt, endedAt }: Run, at: Micros): boolean =>
  at >= startedAt - (startedAt % 1000) && (endedAt === null || at < endedAt);

function resolveConversion(
  { event, properties }: Message,
  { definitions }: Arrival,
  base: Base,
): ResolvedEvent[] | Rejection {
  const goal = definitions.namedGoals.get(event ?? '');
  return goal === undefined ? 'unknown_event' : conversionOf(goal, properties?.value, base);
}

function resolveGoalConversion(
  { visitorId, messageId, goalId, type, value, device }: GoalConversion,
  { definitions, receivedAt }: Arrival,
): ResolvedEvent[] | Rejection {
  const goal = definitions.goals.get(goalId);
  if (goal === undefined) {
    return 'unknown_event';
  }
  if (type !== null && type !== goal.type) {
    return 'wrong_goal_type';
  }
  return conversionOf(goal, value, {
    visitor_id: storedVisitor(visitorId),
    event_id: eventId(messageId),
    occurred_at: receivedAt,
    device: deviceOf(device.type, device.userAgent),
  });
}

function conversionOf(goal: GoalDefinition, given: unknown, base: Base): ResolvedEvent[] | Rejection {
  const isGiven = goal.hasValue && given !== undefined && given !== null;
  const value = isGiven ? parseValue(given) : null;
  return isGiven && value === null ? 'invalid_value' : [conversion(base, goal, value)];
}

function resolvePageView(
  { properties }: Message,
  { definitions }: Arrival,
  base: Base,
): ResolvedEvent[] | Rejection {
  const url = properties?.url ?? '';
  if (url.length > MAX_URL || !URL.canParse(url)) {
    return 'invalid_url';
  }
  const goals = definitions.pageviewGoals.filter(({ page }) => pageMatches(page, url));
  return goals.length === 0
    ? 'no_matching_page'
    : goals.map((goal) => ({
        ...conversion(base, goal, null),
        event_id: conversionId(base.event_id, goal.id),
      }));
}

/** Written out, because copying objects field by field takes longer than all the rest. */
const conversion = (base: Base, goal: GoalDefinition, value: number | null): ResolvedEvent => ({
  visitor_id: base.visitor_id,
  event_id: base.event_id,
  occurred_at: base.occurred_at,
  experiment_id: null,
  variation_id: null,
  goal_id: goal.id,
  value,
  device: base.device,
});
