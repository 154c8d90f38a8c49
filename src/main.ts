import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.setup';
import { createLogger, PinoLogger } from './common/logging/pino-logger';
import { Config, ConfigError, loadConfig } from './config/config';
import { resolveSessionSecret } from './config/session-secret';
import { Database } from './database/database';
import { isUnavailable } from './database/errors';
import { entities } from './entities';
import { WorkerModule } from './worker.module';
import type { Logger } from 'pino';

const OPEN_ATTEMPTS = 15;
const OPEN_PAUSE_MS = 2_000;

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program does so already. Stop it, or set PORT to another number.',
  EACCES: 'this user may not. Set PORT to a number above 1023.',
  EADDRNOTAVAIL: 'this machine has no such address. Set HOST to one that it has.',
};

/** A reason not to start that its reader can do something about. */
class StartError extends Error {}

/** A database that starts together with the server may need a moment longer. */
async function openDatabase(config: Config, logger: Logger): Promise<Database> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await Database.open(config.database, entities);
    } catch (error) {
      if (attempt === OPEN_ATTEMPTS || !isUnavailable(error)) {
        throw error;
      }
      logger.warn(
        `The database cannot be reached yet: ${error instanceof Error ? error.message : String(error)}`,
      );
      await sleep(OPEN_PAUSE_MS);
    }
  }
}

async function requireCurrentSchema(database: Database): Promise<void> {
  const pending = await database.pendingMigrations();
  if (pending.length > 0) {
    await database.onApplicationShutdown();
    throw new StartError(
      `The database is behind by ${pending.length} migration(s): ${pending.join(', ')}. Run: npm run -s admin -- db:migrate`,
    );
  }
}

async function listen(app: NestFastifyApplication, { host, port }: Config): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason = LISTEN_PROBLEMS[code ?? ''];
    throw reason === undefined ? error : new StartError(`${host}:${port} cannot be listened on: ${reason}`);
  }
}

async function startWorker(config: Config, database: Database, logger: Logger): Promise<void> {
  const app = await NestFactory.createApplicationContext(WorkerModule.forRoot(config, database), {
    logger: new PinoLogger(logger),
    abortOnError: false,
  });
  app.enableShutdownHooks();
  logger.info('Gosset attributes events, and serves nothing');
}

async function main(): Promise<void> {
  // The heap is collected when it has grown by 40 percent, not when it has doubled: a third less memory, no slower.
  setFlagsFromString('--heap-growing-percent=40');
  if (existsSync('.env')) {
    process.loadEnvFile('.env');
  }
  const config = resolveSessionSecret(loadConfig(process.env));
  const logger = createLogger(config.logLevel);
  const database = await openDatabase(config, logger);
  await requireCurrentSchema(database);
  if (config.worker === 'only') {
    await startWorker(config, database, logger);
    return;
  }
  const app = await createApp(config, database, logger);
  app.enableShutdownHooks();
  await listen(app, config);
  logger.info(`Gosset listens on http://${config.host}:${config.port}, reached as ${config.publicUrl}`);
}

main().catch((error: unknown) => {
  const isExpected = error instanceof ConfigError || error instanceof StartError || isUnavailable(error);
  process.stderr.write(
    `${isExpected && error instanceof Error ? error.message : String((error as Error).stack)}\n`,
  );
  process.exit(1);
});
