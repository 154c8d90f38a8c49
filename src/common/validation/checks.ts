import type { Failure } from '../errors/api-errors';
import type { FieldCheck } from './fields';
import { codeRules, FLAG_RULES, integerRules, NAME_RULES, oneOfRules, Rule, textRules } from './rules';

/* Checks for single values that are not body fields. */

/** Returns the message of the first rule that is not met. */
const checkOf =
  (rules: readonly Rule[]): FieldCheck =>
  (value, label) =>
    rules.find((rule) => !rule.isMet(value))?.message(label, value) ?? null;

export const text = (max: number, min = 0): FieldCheck => checkOf(textRules(max, min));

/** The name of a user or record. */
export const name: FieldCheck = checkOf(NAME_RULES);

/** Text of at most 256 KiB that passes the given check. */
export const code = (check: (text: string) => string | null): FieldCheck => checkOf(codeRules(check));

export const oneOf = (allowed: readonly string[]): FieldCheck => checkOf(oneOfRules(allowed));

export const integer = (min: number, max: number): FieldCheck => checkOf(integerRules(min, max));

export const flag: FieldCheck = checkOf(FLAG_RULES);

/** A list of at most `max` distinct values. Failures contain the index. */
export function listOf(
  check: FieldCheck,
  entryLabel: string,
  max: number,
  key: (value: unknown) => unknown,
): FieldCheck {
  return (value, label) => {
    const list = entriesOf(value, label, max);
    if (typeof list === 'string') {
      return list;
    }
    const failures: Failure[] = [];
    const seen = new Set<unknown>();
    list.forEach((entry: unknown, index) => {
      const found = check(entry, entryLabel);
      if (typeof found === 'string') {
        failures.push({ path: String(index), message: found });
      } else if (seen.has(key(entry))) {
        failures.push({ path: String(index), message: `The ${entryLabel} is listed twice.` });
      }
      seen.add(key(entry));
    });
    return failures.length > 0 ? failures : null;
  };
}

/** The entries of a list, or an error message if the list is invalid. */
export function entriesOf(value: unknown, label: string, max: number): readonly unknown[] | string {
  if (!Array.isArray(value)) {
    return `The ${label} must be a list.`;
  }
  return value.length > max ? `The ${label} may have at most ${max} entries.` : (value as unknown[]);
}
