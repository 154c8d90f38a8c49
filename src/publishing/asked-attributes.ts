import type { ConditionInterface } from '@growthbook/growthbook';

/*
 * Callers may send any number of attributes, and the evaluator copies them for each experiment. Therefore only
 * attributes that are used in conditions are passed on.
 */

/** The names of the attributes in conditions. */
export function askedIn(conditions: readonly (ConditionInterface | undefined)[]): string[] {
  const names = new Set<string>();
  const collect = (condition: object): void => {
    for (const [name, value] of Object.entries(condition)) {
      if (name === '$not') {
        collect(value as object);
      } else if (name.startsWith('$')) {
        (value as object[]).forEach(collect);
      } else {
        names.add(name.split('.')[0]);
      }
    }
  };
  conditions.forEach((condition) => collect(condition ?? {}));
  return [...names];
}

/** The attributes with these names. */
export function picked<T>(given: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
  );
}
