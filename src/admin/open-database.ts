import type { Config } from '../config/config';
import type { Entities } from '../database/data-source';
import { Database } from '../database/database';
import { OpeningError } from '../database/errors';
import { behindText } from '../database/migrating';
import { reasonOf, RefusedError } from './refusals';

/** Opens the database. @throws RefusedError if the database is unreachable */
export async function openDatabase(config: Config, entities: Entities): Promise<Database> {
  try {
    return await Database.open(config.database, entities, 'background');
  } catch (error) {
    const reason = reasonOf(error);
    throw new RefusedError(
      error instanceof OpeningError ? reason : `The database cannot be opened: ${reason}`,
    );
  }
}

/**
 * Opens the database and checks its schema.
 * @throws RefusedError if the database is unreachable, or its schema is outdated and needs `db:migrate`
 */
export async function openCurrentDatabase(config: Config, entities: Entities): Promise<Database> {
  const database = await openDatabase(config, entities);
  try {
    await requireCurrentSchema(database);
    return database;
  } catch (error) {
    await database.onApplicationShutdown();
    throw error;
  }
}

async function requireCurrentSchema(database: Database): Promise<void> {
  const pending = await database.pendingMigrations();
  if (pending.length > 0) {
    throw new RefusedError(behindText('The database', pending));
  }
}
