import type { Database } from './database';
import { MIGRATION_LOCKS } from './migration-lock';

/** Sends a trivial query. @throws an error with the reason if the database does not respond */
export async function checkAnswer({ delivery }: Database): Promise<void> {
  await delivery.query('SELECT 1');
}

/**
 * Readiness check of the database. It reads a table and checks that writing is possible, because with SQLite, the disk
 * may be full or the file corrupt, and MySQL may have become a replica or left its cluster. On MySQL, it uses the
 * delivery connections, which management requests cannot exhaust. @throws an error with the reason if the check fails
 */
export async function checkReadiness(database: Database): Promise<void> {
  await database.delivery.query('SELECT name FROM migrations LIMIT 1');
  await requireWritable(database);
  if (database.engine === 'mysql') {
    await requireNode(database);
    await tryWriting(database);
  }
}

async function requireWritable(database: Database): Promise<void> {
  const problem = await database.writeProblem();
  if (problem !== null) {
    const subject = database.engine === 'sqlite' ? 'The database file' : 'The database';
    throw new Error(`${subject} cannot be written to: ${problem}`);
  }
}

/** Checks `wsrep_ready` only on cluster nodes, because it is always `OFF` on other servers. */
async function requireNode({ delivery }: Database): Promise<void> {
  const [isNode, isReady] = await Promise.all(
    ["SHOW VARIABLES LIKE 'wsrep_on'", "SHOW STATUS LIKE 'wsrep_ready'"].map(async (sql) => {
      const [row] = await delivery.query<{ Value: string }[]>(sql);
      return row?.Value === 'ON';
    }),
  );
  if (isNode && !isReady) {
    throw new Error('The database node is not part of its cluster: wsrep_ready is OFF.');
  }
}

/** A replica rejects the statement. The statement affects no row, so nothing is stored or replicated. */
async function tryWriting({ delivery }: Database): Promise<void> {
  await delivery.query(`UPDATE ${MIGRATION_LOCKS} SET expires_at = 0 WHERE name = ''`);
}
