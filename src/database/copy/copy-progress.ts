import type { DataSource } from 'typeorm';
import { OpeningError } from '../errors';
import type { CopiedTable } from './copied-tables';
import { CopyEnd, CopyRefusedError, keyOf, quoted, Row, Value } from './copy-end';

/** The table that records the progress of `db:copy`. It exists only in unfinished copies. */
export const UNFINISHED_COPY = 'unfinished_copy';

/** @throws OpeningError if only part of another database has been copied to this one */
export async function refuseUnfinishedCopy(writer: DataSource): Promise<void> {
  const runner = writer.createQueryRunner();
  try {
    if (await runner.hasTable(UNFINISHED_COPY)) {
      throw new OpeningError(
        'This database is the target of an unfinished db:copy. Run db:copy again with the same --from and --to, or use another database.',
      );
    }
  } finally {
    await runner.release();
  }
}

/** The last row that was copied. */
export interface Position {
  table: string;
  /** Key of the row; null before the table's first row. */
  key: readonly Value[] | null;
  /** Number of rows copied so far, in all tables. */
  copied: number;
}

const TABLE = quoted(UNFINISHED_COPY);

/** Stores the progress of the copy in the target, in the transactions that store its rows. */
export class CopyProgress {
  constructor(private readonly target: CopyEnd) {}

  /** Marks the target as an unfinished copy, so that nothing else uses it. */
  async mark(): Promise<void> {
    await this.target.run(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (
         id int NOT NULL PRIMARY KEY, state varchar(64) NOT NULL, table_name varchar(64) NOT NULL,
         last_key text NOT NULL, copied bigint NOT NULL
       )`,
    );
  }

  /**
   * The position at which an interrupted copy resumes, or the start of the first table.
   * @param state identifies the state of the source
   * @throws CopyRefusedError if the unfinished copy was made from a different database, or the source has changed since
   * the copy began
   */
  async start(state: string, first: CopiedTable): Promise<Position> {
    const [noted] = await this.target.all(`SELECT state, table_name, last_key, copied FROM ${TABLE}`);
    if (noted === undefined) {
      await this.target.run(`INSERT INTO ${TABLE} VALUES (1, ?, ?, '', 0)`, [state, first.name]);
      return { table: first.name, key: null, copied: 0 };
    }
    const [was, table = '', key = '', copied] = noted.map(String);
    if (was !== state) {
      throw new CopyRefusedError(
        'The target has an unfinished copy of another database, or the source has changed since the copy began. Empty the target, then run the command again.',
      );
    }
    return { table, key: parseKey(key), copied: Number(copied) };
  }

  /**
   * Advances the position, in the transaction that stores the rows. @throws CopyRefusedError if another process has
   * advanced the position
   */
  async advance(from: Position, table: CopiedTable, rows: readonly Row[]): Promise<Position> {
    const last = rows.at(-1);
    const key = last === undefined ? null : keyOf(table, last);
    const to = { table: table.name, key, copied: from.copied + rows.length };
    const changed = await this.target.run(
      `UPDATE ${TABLE} SET table_name = ?, last_key = ?, copied = ? WHERE table_name = ? AND last_key = ?`,
      [to.table, formatKey(key), BigInt(to.copied), from.table, formatKey(from.key)],
    );
    if (changed !== 1) {
      throw new CopyRefusedError('Another process is copying to the same target.');
    }
    return to;
  }

  /** Marks the copy as complete, so that the database can be used. */
  async finish(): Promise<void> {
    await this.target.run(`DROP TABLE ${TABLE}`);
  }
}

/** Keys are ASCII text or integers; the prefixes `t` and `i` tell them apart. */
const formatKey = (key: readonly Value[] | null): string =>
  key === null
    ? ''
    : JSON.stringify(key.map((value) => (typeof value === 'bigint' ? `i${value}` : `t${String(value)}`)));

function parseKey(text: string): Value[] | null {
  return text === ''
    ? null
    : (JSON.parse(text) as string[]).map((value) =>
        value.startsWith('i') ? BigInt(value.slice(1)) : value.slice(1),
      );
}
