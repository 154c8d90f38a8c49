import type { Failure } from '../errors/api-errors';
import { text } from './checks';
import type { FieldCheck } from './fields';
import type { PatternCheck } from './pattern';
import { joinPath } from './values';

/* Checks for the conditions of audiences and pages. */

/** A string that a condition compares values with. */
export const comparedText: FieldCheck = text(2_048, 1);

/** A regular expression that a condition matches values against. */
export function comparedPattern(check: PatternCheck): FieldCheck {
  return (value, label) => comparedText(value, label) ?? check(value as string);
}

/** In a condition, null means the same as an absent field. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The failures of one field of a condition at the given path. */
export function fieldFailures(path: string, field: string, value: unknown, check: FieldCheck): Failure[] {
  const found = isGiven(value) ? check(value, field) : `The ${field} field is required.`;
  if (found === null) {
    return [];
  }
  const failures = typeof found === 'string' ? [{ path: '', message: found }] : found;
  const at = joinPath(path, field);
  return failures.map((failure) => ({ ...failure, path: joinPath(at, failure.path) }));
}

const MAX_UNKNOWN_FIELDS = 20;
const MAX_NAME_LENGTH = 100;

/** A failure for each field that is not known for this condition. */
export function unknownFieldFailures(path: string, condition: object, known: readonly string[]): Failure[] {
  return Object.keys(condition)
    .filter((field) => !known.includes(field))
    .slice(0, MAX_UNKNOWN_FIELDS)
    .map((field) => field.slice(0, MAX_NAME_LENGTH))
    .map((field) => ({
      path: joinPath(path, field),
      message: `The field ${field} is unknown. A condition has these fields: ${known.join(', ')}.`,
    }));
}
