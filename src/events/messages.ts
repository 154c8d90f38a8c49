import { MAX_MESSAGE_ID } from '../common/limits';
import { type JsonSchema, WHOLE_CHARACTERS } from '../common/validation/json-schema';
import { schemaErrors, schemaTest } from '../common/validation/schema-check';
import { DEVICE_TYPES } from './device-types';
import { EXPOSURE, UNKNOWN_PHASE } from './exposure';
import { IGNORED_TYPES } from './segment-messages';
import { SNIPPET_ERROR } from './snippet-error';
import { VISITOR_ID } from './visitors';

/** Why an event was not stored. */
export const REJECTIONS = {
  invalid_message: 'The message is not an object, or one of its fields has the wrong type.',
  unknown_type: 'The type does not exist in Segment’s HTTP API.',
  invalid_visitor:
    'The anonymousId (or the userId, if there is no anonymousId) is not 1 to 64 printable ASCII characters.',
  invalid_message_id: 'The messageId is empty or longer than 255 characters. Imports require a messageId.',
  invalid_timestamp:
    'The timestamp is not valid ISO 8601, or an imported event has a timestamp before the year 2000.',
  timestamp_in_future: 'The timestamp of an imported event is in the future.',
  unknown_event: 'The event does not name a goal of the project.',
  wrong_goal_type: 'The goal has a different type.',
  invalid_value: 'The value is not a decimal between -1,000,000,000 and 1,000,000,000.',
  invalid_url: 'The url is not an absolute URL of at most 2,048 characters.',
  no_matching_page: 'No pageview goal has a page that matches the url.',
  unknown_experiment: 'The project has no such experiment.',
  unknown_variation: 'The experiment has no such variation.',
  experiment_in_preview: 'The experiment was in preview.',
  experiment_not_running: 'The experiment was not running when the event happened.',
  result_final: 'The result is final, because the experiment was archived at least 72 hours ago.',
  untrusted: 'The goal accepts conversions from API tokens only (`trusted_only`).',
  bot: 'The user agent belongs to a bot.',
  visitor_deleted: 'The visitor was deleted in the last 30 days.',
  too_many_events:
    'The visitor has reached `EVENTS_PER_VISITOR`, probably because many visitors share the id.',
} as const;

export type Rejection = keyof typeof REJECTIONS;

/** Reasons that apply to imports and other routes, but never to messages in a batch. */
export const NOT_COLLECTED: readonly Rejection[] = ['timestamp_in_future', 'wrong_goal_type'];

/** A normalized message in a batch, in the format of Segment's HTTP API. Ids and values can also be strings. */
export interface Message {
  type: string;
  event?: string | null;
  anonymousId: string;
  messageId: string;
  timestamp?: unknown;
  properties?: {
    experiment_id?: number | string | null;
    experimentId?: number | string | null;
    variation_id?: number | string | null;
    variationId?: number | string | null;
    phase?: number | string | null;
    value?: unknown;
    url?: string | null;
  } | null;
  context?: {
    device?: { type?: string | null } | null;
    userAgent?: string | null;
    library?: { name?: string | null } | null;
    page?: { url?: string | null } | null;
  } | null;
}

/** The body of `POST /v1/batch`. Its messages are validated one by one. */
export interface Batch {
  writeKey?: unknown;
  sentAt?: unknown;
  batch: unknown[];
}

const text = { type: ['string', 'null'] };
const id = { type: ['integer', 'string', 'null'] };
const optional = { type: ['object', 'null'] };
const visitor = { ...VISITOR_ID, type: ['string', 'integer', 'null'] };
const experiment = {
  ...id,
  description: `For \`${EXPOSURE}\`: id of the experiment, \`exp-\` followed by the id, or its api_name. \`experimentId\` is also accepted.`,
};
const variation = {
  ...id,
  description: `For \`${EXPOSURE}\`: id or api_name of the variation that was shown. \`variationId\` is also accepted.`,
};

/** A message in a batch: an exposure, a conversion or a page view. */
export const EVENT_MESSAGE = {
  type: 'object',
  description: 'An event of a visitor.',
  required: ['type'],
  properties: {
    type: {
      type: 'string',
      enum: ['track', 'page'],
      description: '`track` for an exposure or conversion, `page` for a page view.',
    },
    event: { ...text, description: `For \`track\`: \`${EXPOSURE}\`, or the api_name of a goal.` },
    anonymousId: {
      ...visitor,
      description: 'Id of the visitor: printable ASCII, the same in all events of one visitor.',
    },
    userId: { ...visitor, description: 'Id of the visitor if `anonymousId` is missing.' },
    messageId: {
      type: ['string', 'integer', 'null'],
      minLength: 1,
      maxLength: MAX_MESSAGE_ID,
      pattern: WHOLE_CHARACTERS,
      description:
        'Id of this message, to detect duplicates: a UUID, preferably of version 7. It identifies one event of one visitor, across all goals and types. If you derive it, include the goal, as in `order-501-purchased`. Without an id, a repeated message counts again.',
    },
    timestamp: { ...text, description: 'When the event happened, ISO 8601. The default is now.' },
    originalTimestamp: {
      ...text,
      description: "The name of `timestamp` in RudderStack's libraries; `timestamp` takes precedence.",
    },
    properties: {
      ...optional,
      description: 'Properties of the event. Unknown properties are ignored.',
      additionalProperties: true,
      properties: {
        experiment_id: experiment,
        variation_id: variation,
        phase: {
          ...id,
          description: `For \`${EXPOSURE}\`: the phase in the payload, or \`${UNKNOWN_PHASE}\` if the visitor keeps the variation of an earlier phase that you do not know. The default is the phase at the time of the event.`,
        },
        value: {
          type: ['number', 'string', 'null'],
          description:
            'For a conversion: a decimal between -1,000,000,000 and 1,000,000,000, rounded to four decimal places.',
        },
        url: { ...text, description: 'Absolute URL of a page view, at most 2,048 characters.' },
      },
    },
    context: {
      ...optional,
      description: 'Device and client of the visitor, used by the device filter and to exclude bots.',
      properties: {
        device: {
          ...optional,
          description: "The visitor's device.",
          properties: {
            type: { ...text, description: `One of ${DEVICE_TYPES.join(', ')}.`, example: 'mobile' },
          },
        },
        userAgent: {
          ...text,
          description: "The visitor's user agent. It determines the device if `device` is missing.",
        },
        library: {
          ...optional,
          description: 'The library that sent the message.',
          properties: { name: { ...text, description: 'Name of the library.' } },
        },
        page: {
          ...optional,
          description: 'The page where the event happened.',
          properties: { url: { ...text, description: 'URL of a page view if `properties.url` is missing.' } },
        },
      },
    },
  },
} as const satisfies JsonSchema;

const linked = { type: ['string', 'integer', 'null'] };

/**
 * The id fields of a message that links two ids. Messages whose ids are invalid are accepted but do not link any ids.
 */
const LINKED_IDS = {
  anonymousId: { ...linked, description: 'For `identify`: id of the visitor before sign-in.' },
  previousId: { ...linked, description: 'For `alias`: the previous id of the visitor.' },
  userId: { ...linked, description: 'For `identify` and `alias`: new id of the visitor.' },
};

/** Fields of messages without an event. They are declared for typed clients, but the server does not use them. */
const UNUSED_FIELDS = {
  traits: {
    ...optional,
    description: 'For `identify`: traits of the visitor. Ignored.',
    additionalProperties: true,
  },
  groupId: { ...id, description: "For `group`: id of the visitor's group. Ignored." },
  name: { ...text, description: 'Name of the screen or page. Ignored.' },
};

/** A message without an event, which libraries send automatically. */
export const PROFILE_MESSAGE = {
  type: 'object',
  description:
    'A message about a visitor that libraries send in addition to events. It is accepted and not stored; `identify` and `alias` link two ids of the visitor.',
  required: ['type'],
  properties: {
    type: { type: 'string', enum: IGNORED_TYPES, description: 'Type of the message.' },
    ...LINKED_IDS,
    ...UNUSED_FIELDS,
  },
} as const satisfies JsonSchema;

/** One message in the format of Segment's HTTP API, sent to the URL for its type. */
export const SEGMENT_MESSAGE = {
  type: 'object',
  description:
    'One message. `identify` and `alias` link two ids of a visitor; `group` and `screen` are accepted and ignored.',
  properties: {
    writeKey: { type: 'string', description: 'The client key of the project.' },
    sentAt: { type: 'string', description: "The current time according to the client's clock, ISO 8601." },
    ...EVENT_MESSAGE.properties,
    previousId: LINKED_IDS.previousId,
    ...UNUSED_FIELDS,
    type: {
      type: 'string',
      enum: [...EVENT_MESSAGE.properties.type.enum, ...IGNORED_TYPES],
      description:
        'Type of the message. Defaults to the type in the path. A message of any other type is rejected (`unknown_type`).',
    },
  },
} as const satisfies JsonSchema;

/** An error in the project's code, which the snippet reports among its messages. */
export const ERROR_MESSAGE = {
  type: 'object',
  description: "An error in the project's code on a page, reported by the snippet.",
  required: ['type', 'anonymousId', 'messageId', 'properties'],
  properties: {
    type: { type: 'string', enum: ['error'], description: 'An error report.' },
    anonymousId: EVENT_MESSAGE.properties.anonymousId,
    messageId: EVENT_MESSAGE.properties.messageId,
    properties: SNIPPET_ERROR,
  },
} as const satisfies JsonSchema;

export const EVENT_BATCH = {
  type: 'object',
  description: 'A batch of messages.',
  required: ['batch'],
  properties: {
    writeKey: { type: 'string', description: 'The client key of the project.' },
    sentAt: { type: 'string', description: "The current time according to the client's clock, ISO 8601." },
    batch: {
      type: 'array',
      items: {
        anyOf: [
          { $ref: '#/components/schemas/EventMessage' },
          { $ref: '#/components/schemas/ProfileMessage' },
          { $ref: '#/components/schemas/ErrorMessage' },
        ],
      },
      description: 'The messages, in any order.',
    },
  },
} as const satisfies JsonSchema;

/** Errors in these fields are ignored, because the key may be sent elsewhere and an invalid time counts as missing. */
const UNMINDED = ['/writeKey', '/sentAt'];
/** Messages are validated one by one, so an invalid message does not invalidate its batch. */
const unchecked = { EventMessage: true, ProfileMessage: true, ErrorMessage: true } as const;

const isWholeBatch = schemaTest(EVENT_BATCH, unchecked);
const batchErrors = schemaErrors(EVENT_BATCH, unchecked);

/** Whether the body is a batch. Does not validate its messages. */
export const isBatch = (body: unknown): body is Batch =>
  isWholeBatch(body) || batchErrors(body).every(({ instancePath }) => UNMINDED.includes(instancePath));

/**
 * A conversion for a goal that is identified by its id and can have any type. Such conversions are created by the
 * server, for routes other than collection; they are never parsed from JSON messages.
 */
export class GoalConversion {
  constructor(
    readonly visitorId: string,
    readonly messageId: string,
    readonly goalId: number,
    /** The goal type that the caller expects; null if not given. */
    readonly type: string | null,
    readonly value: unknown,
    readonly device: { type?: string; userAgent: string },
  ) {}
}
