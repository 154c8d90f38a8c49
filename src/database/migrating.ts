import { DataSource, Migration, MigrationExecutor } from 'typeorm';
import { patiently } from './patience';

const LOCK_SECONDS = 300;
/** Locks belong to the whole server and their names end at 64 characters. */
const LOCK_NAME = "CONCAT('gosset-migrate-', MD5(DATABASE()))";

const namesOf = (migrations: readonly Migration[]): string[] => migrations.map(({ name }) => name);

/** Names of the migrations that have not run yet. */
export async function pendingMigrations(writer: DataSource): Promise<string[]> {
  return namesOf(await new MigrationExecutor(writer).getPendingMigrations());
}

/**
 * Runs the migrations that SQLite has not run yet, in one transaction, and returns their names. What is pending is
 * read when the lock is held, so that processes that start together do not do the same twice.
 */
export async function migrateSqlite(writer: DataSource): Promise<string[]> {
  const runner = writer.createQueryRunner();
  // It turns foreign keys off, which SQLite cannot do within a transaction.
  await runner.beforeMigration();
  await patiently(() => runner.startTransaction());
  try {
    const done = await new MigrationExecutor(writer, runner).executePendingMigrations();
    await runner.commitTransaction();
    return namesOf(done);
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  } finally {
    await runner.afterMigration();
    await runner.release();
  }
}

/** The same on MySQL, which commits each change of the schema at once: whoever comes second waits until all are made. */
export async function migrateMysql(writer: DataSource): Promise<string[]> {
  const holder = writer.createQueryRunner();
  try {
    const sql = `SELECT GET_LOCK(${LOCK_NAME}, ${LOCK_SECONDS}) AS locked`;
    const [answer] = (await holder.query(sql)) as { locked: number | string | null }[];
    if (Number(answer?.locked) !== 1) {
      throw new Error('Another process has been migrating the database for five minutes.');
    }
    const done = await writer.runMigrations({ transaction: 'each' });
    await holder.query(`SELECT RELEASE_LOCK(${LOCK_NAME})`);
    return namesOf(done);
  } finally {
    await holder.release();
  }
}
