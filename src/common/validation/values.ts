/* Checks of JSON values, for all kinds of input. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `variations` and `0.name` -> `variations.0.name`; either may be empty. */
export function joinPath(path: string, part: string): string {
  return path === '' || part === '' ? path + part : `${path}.${part}`;
}

export const MAX_DEPTH = 32;

/** Whether the value is nested more deeply than allowed. Recursive functions rely on this limit. */
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
