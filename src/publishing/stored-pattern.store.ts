import type { Reader } from '../database/delivery-pool';

const TABLES = { audience: 'audiences', page: 'pages' } as const;

/** The kinds of records whose conditions can contain patterns. */
export type PatternKind = keyof typeof TABLES;

export const PATTERN_KINDS = Object.keys(TABLES) as PatternKind[];

export interface ConditionsRow {
  id: number;
  project_id: number;
  name: string;
  /** The conditions as JSON. */
  conditions: string;
}

/** The records whose conditions appear to contain a regular expression. */
export function withRegularExpressions(reader: Reader, kind: PatternKind): Promise<ConditionsRow[]> {
  return reader.query(
    `SELECT id, project_id, name, conditions FROM ${TABLES[kind]} WHERE conditions LIKE '%"regex"%' ORDER BY id`,
  );
}
