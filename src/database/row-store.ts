import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import { chunksOf } from '../common/lists/collections';
import type { Condition, Engine } from './dialect';
import type { Database, Tx } from './database';

interface StoredColumn {
  name: string;
  isBoolean: boolean;
  metadata: ColumnMetadata;
}

type Parameter = string | number | boolean | null;

/** Maximum number of values in an IN list. SQLite accepts 32,766 parameters per statement. */
const CHUNK = 10_000;

const PIECE_BYTES = 2 * 1024 * 1024;

/**
 * Maximum total length of the strings in a statement, in characters. MySQL must accept statements of up to 16 MiB
 * (packet-size.ts). A character takes up to four bytes, or two if it is escaped.
 */
const MAX_STATEMENT_LENGTH = 2_000_000;

/**
 * Splits bytes into pieces that fit into a statement. MySQL must accept statements of up to 16 MiB, and each byte is
 * written as two digits.
 */
export function piecesOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, index) =>
    bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
  );
}

/** A list of placeholders, such as `?, ?, ?`. */
export function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

/**
 * The condition that two columns have one of these pairs of values. To use an index, MySQL needs a separate list of the
 * first values. SQLite does not get this list, because it would look up each first value with every second value.
 */
export function amongPairs(
  engine: Engine,
  [first, second]: readonly [string, string],
  pairs: readonly (readonly [string, string | number])[],
): Condition {
  const list = pairs.map(() => '(?, ?)').join(', ');
  if (engine === 'sqlite') {
    return { sql: `(${first}, ${second}) IN (VALUES ${list})`, parameters: pairs.flat() };
  }
  const firsts = [...new Set(pairs.map(([value]) => value))];
  return {
    sql: `${first} IN (${placeholders(firsts.length)}) AND (${first}, ${second}) IN (${list})`,
    parameters: [...firsts, ...pairs.flat()],
  };
}

/** The id that an INSERT generated. The drivers return either the id or a result header. */
function insertedId(raw: number | bigint | { insertId: number }): number {
  return typeof raw === 'object' ? raw.insertId : Number(raw);
}

/**
 * Reads and writes the rows of one entity with plain SQL. The entity remains the only definition of its table. Reading
 * a list takes a third of the time that TypeORM's relation loading takes, and a write is a single statement.
 */
export class RowStore<E extends ObjectLiteral & { id: number }> {
  private readonly columns: Map<string, StoredColumn>;
  readonly table: string;
  /** MySQL has no INSERT ... RETURNING. */
  private readonly returnsIds: boolean;

  constructor(database: Database, target: EntityTarget<E>) {
    this.returnsIds = database.writer.options.type !== 'mysql';
    const metadata = database.writer.getMetadata(target);
    this.table = metadata.tableName;
    this.columns = new Map(
      metadata.columns.map((column) => [
        column.propertyName,
        { name: column.databaseName, isBoolean: column.type === 'boolean', metadata: column },
      ]),
    );
  }

  /** Inserts one row and returns its id. A deleted row can be inserted again with its old id. */
  async insert(tx: Tx, row: Omit<E, 'id'> & { id?: number }): Promise<number> {
    const names = Object.keys(row);
    const sql = `INSERT INTO ${this.table} (${names.join(', ')}) VALUES (${placeholders(names.length)})`;
    return insertedId(await tx.query(sql, this.parameters(row)));
  }

  /** Inserts rows that have the same columns and returns their ids in order. */
  async insertAll(tx: Tx, rows: Omit<E, 'id'>[]): Promise<number[]> {
    const ids: number[] = [];
    for (const batch of batchesOf(rows)) {
      ids.push(...(await this.insertBatch(tx, batch)));
    }
    return ids;
  }

  private async insertBatch(tx: Tx, rows: Omit<E, 'id'>[]): Promise<number[]> {
    const [first] = rows;
    if (first === undefined) {
      return [];
    }
    if (!this.returnsIds) {
      return this.insertEach(tx, rows);
    }
    const names = Object.keys(first);
    const tuple = `(${placeholders(names.length)})`;
    const inserted: { id: number }[] = await tx.query(
      `INSERT INTO ${this.table} (${names.join(', ')}) VALUES ${rows.map(() => tuple).join(', ')} RETURNING id`,
      rows.flatMap((row) => this.parameters(row)),
    );
    return inserted.map(({ id }) => id).sort((a, b) => a - b);
  }

  private async insertEach(tx: Tx, rows: Omit<E, 'id'>[]): Promise<number[]> {
    const ids: number[] = [];
    for (const row of rows) {
      ids.push(await this.insert(tx, row));
    }
    return ids;
  }

  /** Sets the given columns and increments the row's version. */
  async update(tx: Tx, id: number, changes: Partial<E>): Promise<void> {
    const assignments = Object.keys(changes).map((name) => `${name} = ?`);
    const sql = `UPDATE ${this.table} SET ${[...assignments, 'version = version + 1'].join(', ')} WHERE id = ?`;
    await tx.query(sql, [...this.parameters(changes), id]);
  }

  async delete(tx: Tx, id: number): Promise<void> {
    await tx.query(`DELETE FROM ${this.table} WHERE id = ?`, [id]);
  }

  /** The rows that match a condition with `?` parameters; `tail` is for ORDER BY and LIMIT. */
  async find(
    manager: EntityManager,
    where: string,
    parameters: Parameter[],
    tail = 'ORDER BY id',
  ): Promise<E[]> {
    return (await this.select(manager, this.columnNames, where, parameters, tail)) as E[];
  }

  /** Like `find`, but reads only some columns. */
  async select<K extends keyof E & string>(
    manager: EntityManager,
    columns: readonly K[],
    where: string,
    parameters: Parameter[],
    tail = 'ORDER BY id',
  ): Promise<Pick<E, K>[]> {
    const sql = `SELECT ${columns.join(', ')} FROM ${this.table} WHERE ${where} ${tail}`;
    const rows: Record<string, unknown>[] = await manager.query(sql, parameters);
    const converters = columns.map((name) => this.column(name)).filter((column) => needsConversion(column));
    for (const row of rows) {
      for (const column of converters) {
        row[column.name] = fromDatabase(column, row[column.name]);
      }
    }
    return rows as Pick<E, K>[];
  }

  /** The rows whose column has one of the values. */
  async findIn<K extends keyof E & string>(
    manager: EntityManager,
    columns: readonly K[],
    column: keyof E & string,
    values: readonly number[],
  ): Promise<Pick<E, K>[]> {
    const rows: Pick<E, K>[] = [];
    for (const chunk of chunksOf(values, CHUNK)) {
      rows.push(
        ...(await this.select(manager, columns, `${column} IN (${placeholders(chunk.length)})`, chunk)),
      );
    }
    return rows;
  }

  async findById(manager: EntityManager, id: number): Promise<E | null> {
    const [row] = await this.find(manager, 'id = ?', [id]);
    return row ?? null;
  }

  async count(manager: EntityManager, where: string, parameters: Parameter[]): Promise<number> {
    const [row]: { count: string | number }[] = await manager.query(
      `SELECT COUNT(*) AS count FROM ${this.table} WHERE ${where}`,
      parameters,
    );
    return Number(row?.count);
  }

  /** The names of all columns. */
  get columnNames(): (keyof E & string)[] {
    return [...this.columns.keys()];
  }

  private column(name: string): StoredColumn {
    const column = this.columns.get(name);
    if (column === undefined) {
      throw new Error(`${this.table} has no column ${name}.`);
    }
    return column;
  }

  private parameters(values: object): Parameter[] {
    return Object.entries(values).map(([name, value]) => {
      const transformer = this.column(name).metadata.transformer;
      const stored: unknown = transformer && 'to' in transformer ? transformer.to(value) : value;
      return (typeof stored === 'boolean' ? Number(stored) : stored) as Parameter;
    });
  }
}

/** Groups rows so that the strings in a group fit into one statement. */
export function batchesOf<T extends object>(rows: readonly T[]): T[][] {
  const batches: T[][] = [];
  let length = MAX_STATEMENT_LENGTH;
  for (const row of rows) {
    const own = Object.values(row).reduce<number>(
      (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
      0,
    );
    length += own;
    if (length > MAX_STATEMENT_LENGTH) {
      batches.push([]);
      length = own;
    }
    batches.at(-1)?.push(row);
  }
  return batches;
}

function needsConversion(column: StoredColumn): boolean {
  return column.isBoolean || column.metadata.transformer !== undefined;
}

function fromDatabase(column: StoredColumn, value: unknown): unknown {
  const transformer = column.metadata.transformer;
  if (transformer && 'from' in transformer) {
    return transformer.from(value);
  }
  return value === null ? null : Boolean(value);
}

/*
 * A transaction that relies on a row must change it. On a single database server, a row lock would be enough, but a
 * Galera cluster does not replicate locks: two transactions on different nodes conflict only if both change the same
 * row. An UPDATE that changes no value does not count, so these rows have a counter, `lock_version`.
 */

/** Runs an INSERT, UPDATE or DELETE and returns the number of matched rows. */
export async function countRows(tx: Tx, sql: string, parameters: unknown[]): Promise<number> {
  const { affected } = (await tx.queryRunner?.query(sql, parameters, true)) ?? {};
  if (affected === undefined) {
    throw new Error('The driver does not report how many rows a statement matched.');
  }
  return affected;
}

/** Locks rows until the transaction ends, on all nodes; missing rows are skipped. */
export async function lockRows(tx: Tx, table: string, key: string, ids: readonly number[]): Promise<void> {
  await tx.query(
    `UPDATE ${table} SET lock_version = lock_version + 1 WHERE ${key} IN (${placeholders(ids.length)})`,
    [...ids],
  );
}
