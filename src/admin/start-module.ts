import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '../config/config';
import type { Entities } from '../database/data-source';
import type { Database } from '../database/database';
import { openCurrentDatabase } from './open-database';

/** A module with services that commands call, and its open database. */
interface CommandModule {
  forRoot(config: Config, database: Database): DynamicModule;
}

/**
 * Opens the database and starts a module on it. Closing the module closes the database.
 * @throws RefusedError if the database is unreachable or its schema is outdated
 */
export async function startModule(
  config: Config,
  entities: Entities,
  module: CommandModule,
): Promise<INestApplicationContext> {
  const database = await openCurrentDatabase(config, entities);
  try {
    return await NestFactory.createApplicationContext(module.forRoot(config, database), {
      logger: false,
      abortOnError: false,
    });
  } catch (error) {
    await database.onApplicationShutdown();
    throw error;
  }
}
