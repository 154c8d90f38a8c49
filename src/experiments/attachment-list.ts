import type { Failure } from '../common/errors/api-errors';
import { integer } from '../common/validation/checks';
import { MAX_HINTS, unknownField } from '../common/validation/failures';
import { Output } from '../common/validation/fields';
import { isObject, joinPath, MAX_ID } from '../common/validation/values';
import { GOAL_TYPES } from '../resources/goals/goal.entity';

/** A record that is attached to an experiment. */
export interface AttachedItem {
  id: number;
  name: string;
}

export interface AttachedGoal extends AttachedItem {
  api_name: string;
  type: string;
}

const item = {
  id: { type: 'integer', minimum: 1, description: 'Id of the attached record.' },
  name: { type: 'string', description: 'Name of the attached record.' },
} as const;

/** A list of attached records. */
export const Attached = (description: string): PropertyDecorator =>
  Output({
    type: 'array',
    items: { type: 'object', properties: item, required: ['id', 'name'] },
    description,
  });

/** A list of attached goals. */
export const AttachedGoals = (description: string): PropertyDecorator =>
  Output({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        ...item,
        api_name: { type: 'string', description: 'The name that events of this goal have.' },
        type: { type: 'string', enum: [...GOAL_TYPES], description: 'Type of the goal.' },
      },
      required: ['id', 'name', 'api_name', 'type'],
    },
    description,
  });

const MAX_ATTACHED = 500;

/** The fields of an attachment in a response. Clients can send an attachment back unchanged. */
const SHOWN = ['id', 'name', 'api_name', 'type'];

export type AttachmentEntry = number | { id: number };

const attachedId = (entry: AttachmentEntry): number => (typeof entry === 'number' ? entry : entry.id);

/** The valid ids in a list, with their indices. Invalid entries are skipped. */
export function attachedIds(value: unknown): { id: number; index: number }[] {
  if (!Array.isArray(value) || value.length > MAX_ATTACHED) {
    return [];
  }
  return value.flatMap((entry: unknown, index) =>
    entryFailures(entry).length === 0 ? [{ id: attachedId(entry as AttachmentEntry), index }] : [],
  );
}

/** Checks a list of ids or of objects with an `id`, without querying the database. */
export function checkAttachmentList(value: unknown, label: string): string | Failure[] | null {
  if (!Array.isArray(value)) {
    return `The ${label} must be a list of ids, or of objects with an id.`;
  }
  if (value.length > MAX_ATTACHED) {
    return `The ${label} may have at most ${MAX_ATTACHED} entries.`;
  }
  const seen = new Set<number>();
  const failures = value.flatMap((entry: unknown, index) => {
    const problems = entryFailures(entry);
    if (problems.length > 0) {
      return problems.map(({ path, message }) => ({ path: joinPath(String(index), path), message }));
    }
    const id = attachedId(entry as AttachmentEntry);
    const isRepeated = seen.has(id);
    seen.add(id);
    return isRepeated ? [{ path: String(index), message: 'It is listed twice.' }] : [];
  });
  return failures.length > 0 ? failures : null;
}

/** The validation failures for one entry, with paths relative to the entry. */
function entryFailures(entry: unknown): Failure[] {
  const id = isObject(entry) ? entry.id : entry;
  const isId = integer(1, MAX_ID)(id, 'id') === null;
  const unknown = isObject(entry) ? Object.keys(entry).filter((key) => !SHOWN.includes(key)) : [];
  return [
    ...(isId ? [] : [{ path: '', message: 'Each entry must be an id, or an object with an id.' }]),
    ...unknown.map((key, index) => ({
      path: key,
      message: unknownField(key, index < MAX_HINTS ? SHOWN : []),
    })),
  ];
}
