import { v7 as newId } from 'uuid';
import { oneOf, text } from '../../common/validation/checks';
import type { Failure } from '../../common/validation/failure';
import type { FieldCheck } from '../../common/validation/fields';
import { checkedBody, filledList, required, shaped } from '../../common/validation/shapes';
import { isObject } from '../../common/validation/submission';
import { idOf } from '../../common/validation/ids';
import { eventId } from '../../events/event-ids';
import { GoalConversion } from '../../events/goal-conversion';
import { GOAL_TYPES } from '../../goals/goal.entity';
import { UserBody, userCheck, visitorFrom } from './visitor';

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
const MAX_MESSAGE_ID = 255;

const goalId: FieldCheck = (value, label) =>
  idOf(value) === null ? `The ${label} must be the id of a goal.` : null;

const value: FieldCheck = (given, label) =>
  typeof given === 'number' || typeof given === 'string' ? null : `The ${label} must be a decimal.`;

const event = required(
  'id',
  shaped({ id: goalId, type: oneOf(GOAL_TYPES), value, messageId: text(MAX_MESSAGE_ID, 1) }),
);

/** Two events with one id would be stored as one. */
function repeatedMessages(given: readonly unknown[]): Failure[] {
  const ids = given.map((each) =>
    isObject(each) && typeof each.messageId === 'string' ? eventId(each.messageId) : null,
  );
  return ids.flatMap((id, index) =>
    id !== null && ids.indexOf(id) < index
      ? [{ path: `${index}.messageId`, message: 'The messageId is that of another event.' }]
      : [],
  );
}

const events: FieldCheck = (given, label) => {
  const found = filledList(event, 'event', MAX_EVENTS)(given, label) ?? [];
  return typeof found === 'string' ? found : [...found, ...repeatedMessages(given as unknown[])];
};

const conversionsCheck = shaped({ user: required('id', userCheck), events });

/**
 * Reads the body of a request to `POST /v1/track`.
 * @throws ValidationError with everything that is wrong
 */
export function readConversions(body: unknown): GoalConversion[] {
  const check = required('user', required('events', conversionsCheck));
  const { user, events: given } = checkedBody(check, body) as ConversionsBody;
  const { id, device } = visitorFrom(user);
  return given.map(
    ({ id: goal, type, value: worth, messageId }) =>
      new GoalConversion(id, messageId ?? newId(), Number(goal), type ?? null, worth ?? null, device),
  );
}
