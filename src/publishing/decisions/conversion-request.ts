import { v7 as newId } from 'uuid';
import type { Failure } from '../../common/errors/api-errors';
import { MAX_MESSAGE_ID } from '../../common/limits';
import { ID_SCHEMA, type JsonSchema, optionalText } from '../../common/validation/json-schema';
import { bodyReader } from '../../common/validation/schema-check';
import { isObject } from '../../common/validation/values';
import { eventId } from '../../events/event-ids';
import { GoalConversion } from '../../events/messages';
import { GIVEN_VISITOR_ID } from '../../events/visitors';
import { GOAL_TYPES } from '../../resources/goals/goal.entity';
import { USER, UserBody, visitorFrom } from './visitor';

interface ConversionsBody {
  user: UserBody;
  events: {
    id: number | string;
    type?: string | null;
    value?: number | string | null;
    messageId?: string | null;
  }[];
}

const MAX_EVENTS = 500;

export const CONVERSIONS = {
  type: 'object',
  description: 'Conversions of a visitor.',
  additionalProperties: false,
  required: ['events', 'user'],
  properties: {
    user: {
      ...USER,
      type: 'object',
      required: ['id'],
      properties: { ...USER.properties, id: { ...GIVEN_VISITOR_ID, description: 'Id of the visitor.' } },
    },
    events: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_EVENTS,
      description: 'The conversions, 1 to 500.',
      items: {
        type: 'object',
        title: 'event',
        description: 'A conversion.',
        additionalProperties: false,
        required: ['id'],
        properties: {
          id: { ...ID_SCHEMA, 'x-message': 'must be the id of a goal', description: 'Id of a goal.' },
          type: {
            type: ['string', 'null'],
            enum: [...GOAL_TYPES, null],
            description: "Type of the goal. If present, it must match the goal's type.",
          },
          value: {
            type: ['number', 'string', 'null'],
            'x-message': 'must be a decimal',
            description: 'For goals with values: a decimal of at most 1,000,000,000.',
          },
          messageId: {
            ...optionalText(MAX_MESSAGE_ID),
            minLength: 1,
            description:
              'Id of this event, to detect duplicates: a UUID, preferably of version 7. It identifies one event of one visitor, across all goals and types.',
          },
        },
      },
    },
  },
} as const satisfies JsonSchema;

/** Reports duplicate message ids, because two events with the same id would be stored as one. */
function repeatedMessages(body: unknown): Failure[] {
  const { events: given } = Object(body) as { events?: unknown };
  const ids = (Array.isArray(given) ? given : [])
    .slice(0, MAX_EVENTS)
    .map((each: unknown) =>
      isObject(each) && typeof each.messageId === 'string' ? eventId(each.messageId) : null,
    );
  return ids.flatMap((id, index) => {
    const first = ids.indexOf(id);
    const message = `Event ${first} has the same messageId. Send a different one for each event, even for different goals.`;
    return id !== null && first < index ? [{ path: `events.${index}.messageId`, message }] : [];
  });
}

const read = bodyReader(CONVERSIONS, repeatedMessages);

/**
 * Reads the body of a request to `POST /v1/track`.
 * @throws ValidationError with all errors
 */
export function readConversions(body: unknown): GoalConversion[] {
  const { user, events: given } = read(body) as ConversionsBody;
  const { id, device } = visitorFrom(user);
  return given.map(
    ({ id: goal, type, value: worth, messageId }) =>
      new GoalConversion(id, messageId ?? newId(), Number(goal), type ?? null, worth ?? null, device),
  );
}
