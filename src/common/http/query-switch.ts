import { Failures } from '../validation/failures';

const VALUES = new Map<unknown, boolean>([
  [undefined, false],
  ['0', false],
  ['false', false],
  ['1', true],
  ['true', true],
]);

/**
 * The value of a boolean query parameter; false if it is missing. Undefined if the value is not 1, true, 0 or false, or
 * if the parameter is written as a list (`name[]`), which would otherwise be ignored like an unknown parameter.
 */
export function switchValue(query: unknown, name: string): boolean | undefined {
  const isList = Object.keys(query as object).some((key) => key.startsWith(`${name}[`));
  return isList ? undefined : VALUES.get((query as Record<string, unknown>)[name]);
}

/**
 * Like `switchValue`, but false for an invalid value.
 * @param failures collects a failure if the value is not 1, true, 0 or false
 */
export function readSwitch(query: unknown, name: string, failures: Failures): boolean {
  const value = switchValue(query, name);
  if (value === undefined) {
    failures.add(name, `The ${name} parameter must be 1, true, 0 or false.`);
  }
  return value ?? false;
}

/**
 * Like `readSwitch`, for requests in which nothing else can be invalid.
 * @throws ValidationError if the value is not 1, true, 0 or false
 */
export function querySwitch(query: unknown, name: string): boolean {
  const failures = new Failures();
  const value = readSwitch(query, name, failures);
  failures.throwIfAny();
  return value;
}
