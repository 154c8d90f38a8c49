import { ValidationError } from '../errors/api-errors';
import type { Failure } from './failure';
import { FieldCheck, runCheck } from './fields';
import { isObject, isTooDeep, MAX_DEPTH, unknownField } from './submission';

/* Checks of bodies that are no records: objects in objects, whose fields may all be left out. */

export type Shape = Readonly<Record<string, FieldCheck>>;

/** An object with no other fields than these. A field that is null is one that is not there. */
export function shaped(shape: Shape): FieldCheck {
  const known = Object.keys(shape);
  return (value, label) => {
    if (!isObject(value)) {
      return `The ${label} must be an object.`;
    }
    return Object.entries(value).flatMap(([field, entry]): Failure[] => {
      const check = Object.hasOwn(shape, field) ? shape[field] : undefined;
      if (check === undefined) {
        return [{ path: field, message: unknownField(field, known) }];
      }
      return entry === null ? [] : within(field, runCheck(check, field, entry));
    });
  };
}

/** A field that must be there. */
export const required =
  (field: string, check: FieldCheck): FieldCheck =>
  (value, label) => {
    const found = check(value, label);
    const isMissing = isObject(value) && (value[field] === undefined || value[field] === null);
    const missing = isMissing ? [{ path: field, message: `The ${field} field is required.` }] : [];
    return typeof found === 'string' ? found : [...(found ?? []), ...missing];
  };

/** A list of 1 to `max` entries, each of which passes the check. */
export function filledList(check: FieldCheck, entryLabel: string, max: number): FieldCheck {
  return (value, label) => {
    if (!Array.isArray(value)) {
      return `The ${label} must be a list.`;
    }
    if (value.length === 0 || value.length > max) {
      return `The ${label} must have 1 to ${max} entries.`;
    }
    return value.flatMap((entry: unknown, index) =>
      within(String(index), runCheck(check, entryLabel, entry)),
    );
  };
}

/** An object with whatever is in it, unless what walks over it would go too deep. */
export const anyObject: FieldCheck = (value, label) => {
  if (!isObject(value)) {
    return `The ${label} must be an object.`;
  }
  return isTooDeep(value) ? `The ${label} are nested deeper than ${MAX_DEPTH} levels.` : null;
};

/**
 * A body that passes the check.
 * @throws ValidationError with everything that is wrong
 */
export function checkedBody(check: FieldCheck, body: unknown): object {
  const failures = isObject(body)
    ? runCheck(check, 'body', body)
    : [{ path: 'body', message: 'The body must be a JSON object.' }];
  if (failures.length > 0) {
    throw new ValidationError(failures);
  }
  return body as object;
}

const within = (path: string, failures: readonly Failure[]): Failure[] =>
  failures.map((failure) => ({
    path: failure.path === '' ? path : `${path}.${failure.path}`,
    message: failure.message,
  }));
