import { ConnectionOptions, createConnection, RowDataPacket } from 'mysql2/promise';
import type { SessionSettings } from './host-pools';

/** The type of a database server: MariaDB and MySQL share a protocol but report their schemas differently. */
export interface MysqlServer {
  flavour: 'mysql' | 'mariadb';
  /** Whether the server is a node of a Galera cluster. */
  isNode: boolean;
}

/**
 * Lock wait timeout: a transaction that waits longer for a row or table fails, and its request gets 503. The timeout is
 * longer than the longest time for which our transactions hold a lock, and shorter than the timeouts of clients and
 * proxies.
 */
const LOCK_WAIT_SECONDS = 5;

/**
 * The server ends sessions that are idle for longer than this, and rolls back their transactions. Otherwise, if a
 * machine lost power or its network, the transactions of its processes would keep their locks for hours. The limit is
 * longer than any pause within our transactions and longer than `IDLE_MS`, after which pools close unused connections.
 */
const IDLE_SECONDS = 30;
/** Time after which unused connections of a pool are closed. */
const IDLE_MS = 15_000;

/**
 * Number of values in an IN list at which the optimizer begins to rely on statistics instead of index dives; 0 means no
 * limit. Right after many events have arrived, the statistics do not include them yet, so an attribution step would
 * read all events of its project.
 */
const MAX_LOOKED_UP_VALUES = 0;

/**
 * Replaces the server's SQL mode, which may include NO_BACKSLASH_ESCAPES. The driver escapes parameters with
 * backslashes. In that mode, the server would read a backslash as text, and an escaped quote would end the string (SQL
 * injection).
 */
export const SQL_MODE =
  "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'";

/**
 * Statements for every connection, because the server's own defaults may differ. Without autocommit, a connection would
 * read one snapshot forever. Some servers ignore the character set that a client requests during the handshake.
 */
export const SESSION_DEFAULTS = [
  SQL_MODE,
  'SET SESSION autocommit = 1',
  'SET NAMES utf8mb4 COLLATE utf8mb4_general_ci',
] as const;

const tableLockWait = (seconds: number | 'DEFAULT'): string => `SET SESSION lock_wait_timeout = ${seconds}`;

/**
 * Statements before and after migrations. A schema change waits for all open transactions, for as long as the server
 * allows.
 */
export const MIGRATION_WAIT = {
  begin: tableLockWait('DEFAULT'),
  end: tableLockWait(LOCK_WAIT_SECONDS),
} as const;

/** Reads the server type from the first host that responds. @throws the error of the last host if none responds */
export async function askServer(urls: readonly string[], options: ConnectionOptions): Promise<MysqlServer> {
  let failure: unknown;
  for (const uri of urls) {
    try {
      return await ask({ ...options, uri });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function ask(options: ConnectionOptions): Promise<MysqlServer> {
  const connection = await createConnection(options);
  try {
    const [[variable]] = await connection.query<RowDataPacket[]>("SHOW VARIABLES LIKE 'version'");
    const [[wsrep]] = await connection.query<RowDataPacket[]>("SHOW VARIABLES LIKE 'wsrep_on'");
    const isMariaDb = String(variable?.Value).toLowerCase().includes('mariadb');
    return { flavour: isMariaDb ? 'mariadb' : 'mysql', isNode: wsrep?.Value === 'ON' };
  } finally {
    connection.destroy();
  }
}

/**
 * The settings of a connection. With READ COMMITTED, each statement sees all earlier commits, so a read under a lock is
 * never older than the lock. On a cluster node, a read first waits for earlier commits on other nodes.
 */
export function sessionSettings({ flavour, isNode }: MysqlServer): SessionSettings {
  const statements = [
    ...SESSION_DEFAULTS,
    'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
    `SET SESSION innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}`,
    tableLockWait(LOCK_WAIT_SECONDS),
    `SET SESSION wait_timeout = ${IDLE_SECONDS}`,
    `SET SESSION eq_range_index_dive_limit = ${MAX_LOOKED_UP_VALUES}`,
  ];
  return isNode
    ? {
        flavour,
        statements: [...statements, 'SET SESSION wsrep_sync_wait = 1'],
        probe: "SHOW STATUS LIKE 'wsrep_ready'",
        idleMs: IDLE_MS,
      }
    : { flavour, statements, probe: 'SELECT 1', idleMs: IDLE_MS };
}
