import type { Failure } from '../common/errors/api-errors';
import { integer } from '../common/validation/checks';
import { isObject, MAX_ID } from '../common/validation/values';
import { unknownField } from '../common/validation/unknown-field';

const MAX_ATTACHED = 500;

/** An attachment in a response; it may be sent back unchanged. */
const SHOWN = ['id', 'name', 'api_name', 'type'];

export type AttachmentEntry = number | { id: number };

const attachedId = (entry: AttachmentEntry): number => (typeof entry === 'number' ? entry : entry.id);

/** The valid ids of a list with their indices; other entries may be invalid. */
export function attachedIds(value: unknown): { id: number; index: number }[] {
  if (!Array.isArray(value) || value.length > MAX_ATTACHED) {
    return [];
  }
  return value.flatMap((entry: unknown, index) =>
    entryProblem(entry) === null ? [{ id: attachedId(entry as AttachmentEntry), index }] : [],
  );
}

/** Checks a list of ids or objects with `id` without the database. */
export function checkAttachmentList(value: unknown, label: string): string | Failure[] | null {
  if (!Array.isArray(value)) {
    return `The ${label} must be a list of ids, or of objects with an id.`;
  }
  if (value.length > MAX_ATTACHED) {
    return `The ${label} may have at most ${MAX_ATTACHED} entries.`;
  }
  const failures: Failure[] = [];
  const seen = new Set<number>();
  value.forEach((entry: unknown, index) => {
    const problem =
      entryProblem(entry) ?? (seen.has(attachedId(entry as AttachmentEntry)) ? 'It is listed twice.' : null);
    if (problem === null) {
      seen.add(attachedId(entry as AttachmentEntry));
    } else {
      failures.push({ path: String(index), message: problem });
    }
  });
  return failures.length > 0 ? failures : null;
}

function entryProblem(entry: unknown): string | null {
  const id = isObject(entry) ? entry.id : entry;
  if (integer(1, MAX_ID)(id, 'id') !== null) {
    return 'Each entry must be an id, or an object with an id.';
  }
  const unknown = isObject(entry) ? Object.keys(entry).find((key) => !SHOWN.includes(key)) : undefined;
  return unknown === undefined ? null : unknownField(unknown, SHOWN);
}
