import { createServer, type AddressInfo } from 'node:net';
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger as NestLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { errorMessage, isError, loggedError } from './common/logging/logged-error';
import { createLogger, PinoLogger } from './common/logging/pino-logger';
import { Config, ConfigError, loadConfig, refuseSecondDatabase } from './config/config';
import { readEnvFile } from './config/env-file';
import { checkSessionSecret, resolveSessionSecret } from './config/session-secret';
import { Database } from './database/database';
import { isUnavailable, openingError, OpeningError } from './database/errors';
import { behindText } from './database/migrating';
import { packetWarning } from './database/packet-size';
import { entities } from './entities';
import { stopOnSignals } from './platform/graceful-shutdown';
import { SETUP_COMMANDS } from './users/setup-commands';
import type { StandIn } from './platform/stand-in';
import type { Logger } from 'pino';

/** A free port; null if listening on the address fails. The server itself will report this problem. */
function freePort(host: string): Promise<number | null> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(null));
    probe.listen(0, host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/**
 * Replaces port 0 with a free port. The port is chosen before the server listens, because `PUBLIC_URL` and the demo
 * shop's URL depend on it.
 */
async function withChosenPort(config: Config, environment: NodeJS.ProcessEnv): Promise<Config> {
  if (config.port !== 0 || config.worker === 'only') {
    return config;
  }
  const port = await freePort(config.host);
  return port === null ? config : loadConfig({ ...environment, PORT: String(port) });
}

/** Time to wait for the database without copies to deliver, in milliseconds. The last attempt may end later. */
const OPEN_MS = 28_000;
const OPEN_PAUSE_MS = 2_000;

const UNKNOWN_NAME =
  'the host name has no address. Set HOST to an address of this machine, such as 127.0.0.1 or 0.0.0.0.';

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program is listening there. Stop it, or set PORT to another number.',
  EACCES: 'this user is not allowed to. Set PORT to a number above 1023.',
  EADDRNOTAVAIL: 'this machine does not have this address. Set HOST to an address of this machine.',
  ENOTFOUND: UNKNOWN_NAME,
  EAI_AGAIN: UNKNOWN_NAME,
};

/** Thrown for a startup error that an operator can fix. */
class StartError extends Error {}

/** What a process reads from the database before it starts. */
interface Findings {
  warnings: string[];
  /** Null for a worker. */
  hasUsers: boolean | null;
}

interface Opened {
  database: Database;
  findings: Findings;
  /** A small server that handles delivery until the main server is listening; null if there is none. */
  standIn: StandIn | null;
}

/** @throws ConfigError if the server must not start on this database */
async function inspect(config: Config, database: Database): Promise<Findings> {
  const { refusePublicDemo } = await import('./demo/public-demo.js');
  const { movedSnippets, unsupportedPatterns } = await import('./publishing/startup-warnings.js');
  const { UsersService } = await import('./users/users.service.js');
  await refusePublicDemo(config, database);
  const warnings = [
    await packetWarning(database),
    ...(await unsupportedPatterns(database.read)),
    await movedSnippets(database.read, config.publicUrl),
  ];
  return {
    warnings: warnings.filter((warning) => warning !== null),
    hasUsers: await new UsersService(database).areAny(),
  };
}

/** A worker publishes scheduled changes and pauses by guardrails, so its `PUBLIC_URL` must be the servers'. */
async function inspectForWorker(config: Config, database: Database): Promise<Findings> {
  const { movedSnippets } = await import('./publishing/startup-warnings.js');
  const warning = await movedSnippets(database.read, config.publicUrl);
  return { warnings: warning === null ? [] : [warning], hasUsers: null };
}

/** Opens and inspects the database. Both are repeated if the database stops responding in between. */
async function openInspected(config: Config, logger: Logger): Promise<Omit<Opened, 'standIn'>> {
  const isWorker = config.worker === 'only';
  const database = await Database.open(config.database, entities, isWorker ? 'background' : 'requests');
  if (database.copy !== null) {
    logger.info(`The database was copied to ${database.copy} before it was migrated`);
  }
  try {
    await requireCurrentSchema(database);
    const findings = await (isWorker ? inspectForWorker : inspect)(config, database);
    return { database, findings };
  } catch (error) {
    await database.onApplicationShutdown();
    throw openingError(config.database, error);
  }
}

/**
 * Waits for the database, because a database that starts together with the server may take longer to start. Until it is
 * available, delivery uses the copies on disk.
 */
async function openDatabase(config: Config, logger: Logger): Promise<Opened> {
  // An attempt takes several seconds if the database does not respond.
  const deadline = performance.now() + OPEN_MS;
  let standIn: StandIn | null = null;
  for (;;) {
    try {
      return { ...(await openInspected(config, logger)), standIn };
    } catch (error) {
      if (!isUnavailable(error) || (performance.now() >= deadline && standIn === null)) {
        throw error;
      }
      logger.warn(`The database cannot be reached yet: ${errorMessage(error)}`);
      if (config.worker !== 'only') {
        const { StandIn } = await import('./platform/stand-in.js');
        standIn ??= await listening(config, () => StandIn.start(config, error));
      }
      await sleep(OPEN_PAUSE_MS);
    }
  }
}

async function requireCurrentSchema(database: Database): Promise<void> {
  const pending = await database.pendingMigrations();
  if (pending.length > 0) {
    throw new StartError(behindText('The database', pending));
  }
}

async function listening<T>({ host, port }: Config, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason = LISTEN_PROBLEMS[code ?? ''];
    throw reason === undefined ? error : new StartError(`Cannot listen on ${host}:${port}: ${reason}`);
  }
}

/** Starts a worker. Only `startServer` imports the server, so each process loads only the modules that it needs. */
async function startWorker(config: Config, { database, findings }: Opened, logger: Logger): Promise<void> {
  const { WorkerModule } = await import('./worker.module.js');
  const app = await NestFactory.createApplicationContext(WorkerModule.forRoot(config, database), {
    logger: new PinoLogger(logger),
    abortOnError: false,
  });
  stopOnSignals(app, logger, 0);
  findings.warnings.forEach((warning) => logger.warn(warning));
  logger.info('Gosset runs the worker and serves no requests');
}

async function startServer(config: Config, opened: Opened, logger: Logger): Promise<void> {
  const { database, findings, standIn } = opened;
  const { AppModule } = await import('./app.module.js');
  const { ignoreExpectations, limitConnections } = await import('./common/http/connections.js');
  const { ShopListener } = await import('./demo/shop/shop-listener.js');
  const { createApplication } = await import('./platform/application.js');
  const { RevisionCache } = await import('./publishing/revision-cache.js');
  const app = await createApplication(AppModule.forRoot(config, database), config, logger);
  stopOnSignals(app, logger, config.shutdownGraceSeconds);
  findings.warnings.forEach((warning) => logger.warn(warning));
  app.get(RevisionCache).prepare();
  await standIn?.close();
  const { port, host } = config;
  // `app.listen` is not used because it would log the reason for a failure a second time.
  await listening(config, () => app.getHttpAdapter().getInstance().listen({ port, host }));
  limitConnections(app.getHttpServer(), config.maxConnections);
  ignoreExpectations(app.getHttpServer());
  await app.get(ShopListener).start();
  logger.info(`Gosset listens on http://${config.host}:${config.port}. Public URL: ${config.publicUrl}`);
  if (findings.hasUsers === false) {
    logger.info(`There are no users yet. Create the first one: ${SETUP_COMMANDS.npm}`);
  }
}

async function run(): Promise<void> {
  const problem = readEnvFile();
  if (problem !== null) {
    throw new ConfigError([problem]);
  }
  const given = await withChosenPort(loadConfig(process.env), process.env);
  refuseSecondDatabase(given, process.env);
  checkSessionSecret(given);
  const logger = createLogger(given.logLevel);
  NestLogger.overrideLogger(new PinoLogger(logger));
  const opened = await openDatabase(given, logger);
  const config = resolveSessionSecret(given);
  if (config.worker === 'only') {
    await startWorker(config, opened, logger);
    return;
  }
  await startServer(config, opened, logger);
}

/** Runs the server or only the worker, depending on the environment. Ends the process if startup fails. */
export async function main(): Promise<void> {
  try {
    await run();
  } catch (error) {
    const isExpected =
      [ConfigError, StartError, OpeningError].some((kind) => error instanceof kind) || isUnavailable(error);
    process.stderr.write(
      `${isExpected || !isError(error) ? errorMessage(error) : loggedError(error).stack}\n`,
    );
    process.exit(1);
  }
}
