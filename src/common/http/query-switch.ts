import { Failures } from '../validation/failures';

const VALUES = new Map<unknown, boolean>([
  [undefined, false],
  ['0', false],
  ['false', false],
  ['1', true],
  ['true', true],
]);

/**
 * The value of a query parameter that switches something on, off by default.
 * @param failures get one if it is not 1, true, 0 or false
 */
export function readSwitch(query: unknown, name: string, failures: Failures): boolean {
  const value = VALUES.get((query as Record<string, unknown>)[name]);
  if (value === undefined) {
    failures.add(name, `The ${name} parameter must be 1, true, 0 or false.`);
  }
  return value ?? false;
}

/**
 * `readSwitch` of the only input that can be wrong.
 * @throws ValidationError if it is not 1, true, 0 or false
 */
export function querySwitch(query: unknown, name: string): boolean {
  const failures = new Failures();
  const value = readSwitch(query, name, failures);
  failures.throwIfAny();
  return value;
}
