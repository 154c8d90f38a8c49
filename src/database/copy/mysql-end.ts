import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, createConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { type Encryption, encryptionOf, hostUrls } from '../../config/database-url';
import { prepareSession } from '../host-pools';
import { askServer, sessionSettings } from '../mysql-server';
import type { CopiedTable } from './copied-tables';
import { columnsOf, CopyEnd, CopyRefusedError, quoted, Row, Value } from './copy-end';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Approximate maximum size of a statement. The server accepts up to 16 MiB, and escaping may double the size of a
 * character.
 */
const STATEMENT_BYTES = 1_000_000;

/** How long to wait for connections that are closing. */
const TIMEOUT_MS = 3_000;
const PAUSE_MS = 100;

/**
 * In this mode, values that do not fit cause errors, and an id of 0 is stored as is instead of being replaced with a
 * generated id.
 */
const COPY_MODE = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO'";

/**
 * How long the server keeps the connection while it is unused, in seconds. One end of a copy is unused while the other
 * reads whole tables, which can take hours.
 */
const IDLE_SECONDS = 7 * 24 * 3600;
const KEPT_OPEN = `SET SESSION wait_timeout = ${IDLE_SECONDS}`;

/** A database on MySQL or MariaDB. */
export class MysqlEnd implements CopyEnd {
  private constructor(
    private readonly connection: Connection,
    readonly name: string,
    private readonly database: string,
  ) {}

  /**
   * Connects to the first host that the server would use: one that responds and, if there are several, is not a replica.
   * @throws the error of the last host if there is none
   */
  static async connect(url: string): Promise<MysqlEnd> {
    const hosts = hostUrls(url) ?? [];
    let failure: unknown;
    for (const uri of hosts) {
      try {
        return await MysqlEnd.open(uri, encryptionOf(url), hosts.length);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  private static async open(uri: string, encryption: Encryption, hosts: number): Promise<MysqlEnd> {
    const options = { uri, ...encryption, connectTimeout: CONNECT_TIMEOUT_MS, charset: 'utf8mb4' };
    const settings = sessionSettings(await askServer([uri], options));
    const connection = await createConnection({
      ...options,
      supportBigNumbers: true,
      bigNumberStrings: true,
    });
    connection.on('error', () => undefined);
    const { host, pathname } = new URL(uri);
    try {
      const statements = [...settings.statements, COPY_MODE, KEPT_OPEN];
      await prepareSession(connection, { ...settings, statements }, { name: host, count: hosts });
    } catch (error) {
      connection.destroy();
      throw error;
    }
    const database = decodeURIComponent(pathname.slice(1));
    return new MysqlEnd(connection, `${database} on ${host}`, database);
  }

  async all(sql: string, values: readonly Value[] = []): Promise<unknown[][]> {
    const [rows] = await this.connection.query<RowDataPacket[][]>({
      sql,
      values: values.map(toParameter),
      rowsAsArray: true,
    });
    return rows;
  }

  async run(sql: string, values: readonly Value[] = []): Promise<number> {
    const [{ affectedRows }] = await this.connection.query<ResultSetHeader>(sql, values.map(toParameter));
    return affectedRows;
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.connection.query('START TRANSACTION');
    try {
      const result = await work();
      await this.connection.query('COMMIT');
      return result;
    } catch (error) {
      await this.connection.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  async insert(table: CopiedTable, rows: readonly Row[]): Promise<void> {
    const head = `INSERT INTO ${quoted(table.name)} (${columnsOf(table)}) VALUES ?`;
    for (const group of groupsOf(rows)) {
      await this.connection.query(head, [group.map((row) => row.map(toParameter))]);
    }
  }

  /** The condition is written with OR, because MySQL would not use an index for `(a, b) > (?, ?)`. */
  after(columns: readonly string[], key: readonly Value[]): { sql: string; values: Value[] } {
    const alternatives = columns.map((column, place) =>
      [...columns.slice(0, place).map((equal) => `${equal} = ?`), `${column} > ?`].join(' AND '),
    );
    return {
      sql: alternatives.map((alternative) => `(${alternative})`).join(' OR '),
      values: columns.flatMap((_, place) => key.slice(0, place + 1)),
    };
  }

  async tables(): Promise<string[]> {
    return (await this.all('SHOW TABLES')).map(([name]) => String(name));
  }

  /** Reads the id from the table definition, because `information_schema` may be a day old. */
  async nextId(table: string): Promise<bigint> {
    const [[, definition] = []] = await this.all(`SHOW CREATE TABLE ${quoted(table)}`);
    return BigInt(/ AUTO_INCREMENT=(\d+)/.exec(String(definition))?.[1] ?? 1);
  }

  async setNextId(table: string, next: bigint): Promise<void> {
    await this.run(`ALTER TABLE ${quoted(table)} AUTO_INCREMENT = ${next}`);
  }

  /**
   * Without the PROCESS privilege, only connections of the same user are visible. That is enough if servers connect as
   * the same user, as they usually do.
   */
  async requireAlone(): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (let others = await this.others(); others > 0; others = await this.others()) {
      if (performance.now() > deadline) {
        throw new CopyRefusedError(
          `Other connections to the database ${this.name} are open: ${others}. Stop all servers, workers and other programs that use it, then run the command again.`,
        );
      }
      await sleep(PAUSE_MS);
    }
  }

  async close(): Promise<void> {
    await this.connection.end();
  }

  private async others(): Promise<number> {
    const [rows] = await this.connection.query<RowDataPacket[]>('SHOW PROCESSLIST');
    const own = String(this.connection.threadId);
    return rows.filter(({ Id: id, db }) => db === this.database && String(id) !== own).length;
  }
}

const toParameter = (value: Value): string | number | Buffer | null =>
  typeof value !== 'bigint' ? value : Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

/** Approximate length of a number in a statement. */
const NUMBER_BYTES = 16;

const sizeOf = (value: Value): number =>
  typeof value === 'string' || Buffer.isBuffer(value) ? value.length : NUMBER_BYTES;

/** Groups rows so that each group fits into a statement. */
function groupsOf(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  let size = STATEMENT_BYTES;
  for (const row of rows) {
    const own = row.reduce((sum: number, value) => sum + sizeOf(value), 0);
    size += own;
    if (size > STATEMENT_BYTES) {
      groups.push([]);
      size = own;
    }
    groups.at(-1)?.push(row);
  }
  return groups;
}
