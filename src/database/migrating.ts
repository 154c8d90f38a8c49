import { DataSource, EntityManager, Migration, MigrationExecutor } from 'typeorm';
import { OpeningError } from './errors';
import { MigrationJournal } from './migration-journal';
import { MigrationLock, type OnWait } from './migration-lock';
import { migrations } from './migrations/index';
import { MIGRATION_WAIT } from './mysql-server';

/**
 * @throws OpeningError if a later release has migrated the database, because this release would write data that the
 * later release cannot read
 */
export async function refuseLaterRelease(writer: DataSource): Promise<void> {
  const runner = writer.createQueryRunner();
  try {
    if (!(await runner.hasTable('migrations'))) {
      return;
    }
    const applied: { name: string }[] = await runner.manager.query('SELECT name FROM migrations ORDER BY id');
    const known = new Set<string>(migrations.map((each) => new each().name));
    const unknown = applied.flatMap(({ name }) => (known.has(name) ? [] : [name]));
    if (unknown.length > 0) {
      throw new OpeningError(
        `A later release has migrated this database: ${unknown.join(', ')}. Install that release, or restore the backup that was made before the upgrade.`,
      );
    }
  } finally {
    await runner.release();
  }
}

type RunInTransaction = <T>(work: (manager: EntityManager) => Promise<T>) => Promise<T>;

const namesOf = (migrations: readonly Migration[]): string[] => migrations.map(({ name }) => name);

/** Names of the migrations that have not run yet. */
export async function pendingMigrations(writer: DataSource): Promise<string[]> {
  return namesOf(await new MigrationExecutor(writer).getPendingMigrations());
}

/**
 * Says that migrations are missing, and how to run them.
 * @param subject the database, as the beginning of the sentence
 * @param step what to do before running them, as a sentence
 */
export function behindText(subject: string, pending: readonly string[], step?: string): string {
  const state = `${subject} is ${pending.length} migration(s) behind: ${pending.join(', ')}.`;
  return [state, step, 'Run: npm run -s admin -- db:migrate'].filter((part) => part !== undefined).join(' ');
}

/**
 * Runs the pending migrations on SQLite in one transaction and returns their names. The list of pending migrations is
 * read under the lock, so that processes that start together do not run a migration twice.
 */
export async function migrateSqlite(writer: DataSource, transaction: RunInTransaction): Promise<string[]> {
  const runner = writer.createQueryRunner();
  // This turns off foreign keys, which SQLite cannot do within a transaction.
  await runner.beforeMigration();
  try {
    return await transaction(async () =>
      namesOf(await new MigrationExecutor(writer, runner).executePendingMigrations()),
    );
  } finally {
    await runner.afterMigration();
  }
}

/**
 * Runs the pending migrations on MySQL, which commits each schema change immediately, and returns their names. A second
 * process waits until all migrations are done. An interrupted migration continues after the last executed statement.
 */
export async function migrateMysql(writer: DataSource, onWait: OnWait = () => undefined): Promise<string[]> {
  const lock = await MigrationLock.take(writer, onWait);
  const runner = writer.createQueryRunner();
  try {
    await runner.query(MIGRATION_WAIT.begin);
    const journal = new MigrationJournal(runner, () => lock.check());
    const executor = new MigrationExecutor(writer, runner);
    const pending = await executor.getPendingMigrations();
    for (const migration of pending) {
      await journal.begin(migration.name);
      await executor.executeMigration(migration);
      await journal.finish();
    }
    await runner.query(MIGRATION_WAIT.end);
    return namesOf(pending);
  } finally {
    await runner.release();
    await lock.release();
  }
}
