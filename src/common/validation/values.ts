/* JSON value checks, shared by all kinds of input. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `variations` and `0.name` -> `variations.0.name`; either may be empty. */
export function joinPath(path: string, part: string): string {
  return path === '' || part === '' ? path + part : `${path}.${part}`;
}

export const MAX_DEPTH = 32;

/** Whether the value is nested too deeply. Recursive functions rely on this limit. */
export function isTooDeep(value: unknown, max = MAX_DEPTH): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= max; depth += 1) {
    level = level
      .filter((entry): entry is object => typeof entry === 'object' && entry !== null)
      .flatMap((entry) => Object.values(entry) as unknown[]);
    if (level.length === 0) {
      return false;
    }
  }
  return true;
}

/** The largest id that a record can have, on any database. */
export const MAX_ID = 2_147_483_647;

const ID = /^[1-9]\d{0,9}$/;

/** Parses an id that is given as a number or a string; null if no record can have it. */
export function idOf(given: unknown): number | null {
  const isId = typeof given === 'number' || typeof given === 'string' ? ID.test(String(given)) : false;
  return isId && Number(given) <= MAX_ID ? Number(given) : null;
}
