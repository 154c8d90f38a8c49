/** An SQL condition with `?` parameters. */
export interface Condition {
  sql: string;
  parameters: (string | number)[];
}

/** Conditions joined by AND. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}
