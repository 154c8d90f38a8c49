import { ValidationError } from '../errors/api-errors';

const VALUES = new Map<unknown, boolean>([
  [undefined, false],
  ['0', false],
  ['false', false],
  ['1', true],
  ['true', true],
]);

/**
 * The value of a query parameter that switches something on, off by default.
 * @throws ValidationError if it is not 1, true, 0 or false
 */
export function querySwitch(query: unknown, name: string): boolean {
  const value = VALUES.get((query as Record<string, unknown>)[name]);
  if (value === undefined) {
    const message = `The ${name} parameter must be 1, true, 0 or false.`;
    throw new ValidationError([{ path: name, message }]);
  }
  return value;
}
