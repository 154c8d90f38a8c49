import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Config, DatabaseTarget, databaseTarget, loadConfig, refuseSecondDatabase } from '../config/config';
import { hostUrls } from '../config/database-url';
import { SETTING_FORMATS } from '../config/formats';
import { knownSessionSecret, storedSessionSecret } from '../config/session-secret';
import { SETTINGS } from '../config/settings';
import type { CopyObserver, CopyReport } from '../database/copy/copy-database';
import type { Entities } from '../database/data-source';
import type { OnWait } from '../database/migration-lock';
import type { SkipReport } from '../database/skipped-numbers';
import type { EventMoveService } from '../events/move/event-move.service';
import type { UsersService } from '../users/users.service';
import type { Application, Migrated, Services } from './application';
import { RefusedError, UsageError } from './refusals';
import type { UsersApplication } from './users-application';

/** The context of commands. Modules are loaded on demand, so help and usage errors appear immediately. */
export class AdminContext {
  private application: Promise<Application> | undefined;
  private usersApplication: Promise<UsersApplication> | undefined;

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly loadEntities: () => Promise<Entities>,
  ) {}

  /** @throws ConfigError if an environment variable is invalid */
  get config(): Config {
    return loadConfig(this.environment);
  }

  /**
   * The application's services, which the first call starts.
   * @throws RefusedError if the database is unreachable or its schema is outdated
   */
  async services(): Promise<Services> {
    this.application ??= this.start();
    return (await this.application).services;
  }

  /**
   * The users service, for commands that need nothing else. Loading the whole application takes a second.
   * @throws RefusedError if the database is unreachable or its schema is outdated
   */
  async users(): Promise<UsersService> {
    this.usersApplication ??= this.startUsers();
    return (await this.usersApplication).users;
  }

  /**
   * The services for commands that print signed links. @throws ConfigError if the server's secret is unknown, because
   * the links would be invalid
   */
  async signingServices(): Promise<Services> {
    this.application ??= this.start(knownSessionSecret(this.config));
    return this.services();
  }

  /** Migrates the schema and checks stored definitions. */
  async migrate(): Promise<Migrated> {
    const { config } = this;
    this.announce(config);
    const { migrate } = await import('./application.js');
    return migrate(config, await this.loadEntities(), printWait);
  }

  /** Copies one database to another. See `copyDatabase`. */
  async copy(from: string, to: string, passes: Omit<CopyObserver, 'waits'>): Promise<CopyReport> {
    const [source, target] = [this.targetOf(from, '--from'), this.targetOf(to, '--to')];
    process.stderr.write(`${databaseLine(source, 'From')}\n${databaseLine(target, 'To')}\n`);
    const { copyForCommand } = await import('./database-copy.js');
    return copyForCommand(source, target, await this.loadEntities(), { ...passes, waits: printWait });
  }

  /** Skips ids, versions and revision numbers after a restore. See `skipNumbers`. */
  async skipNumbers(): Promise<SkipReport> {
    const { config } = this;
    this.announce(config);
    const { skipForCommand } = await import('./database-copy.js');
    return skipForCommand(config.database, await this.loadEntities());
  }

  /** Runs a step of moving events to ClickHouse. @throws RefusedError without `EVENTS_URL` */
  async movingEvents<T>(work: (service: EventMoveService) => Promise<T>): Promise<T> {
    const { config } = this;
    if (config.eventsUrl === null) {
      throw new RefusedError('Set EVENTS_URL to the ClickHouse address.');
    }
    this.announce(config);
    const { movingEvents } = await import('./event-move.js');
    return movingEvents(config, await this.loadEntities(), work);
  }

  /** Closes the database if it was opened. */
  async close(): Promise<void> {
    for (const starting of [this.application, this.usersApplication]) {
      const started = await starting?.catch(() => undefined);
      await started?.close();
    }
  }

  /**
   * @param address a database URL, or `env:` and the name of a variable that contains it
   * @throws UsageError if the URL is invalid
   */
  private targetOf(address: string, option: string): DatabaseTarget {
    const [, variable] = /^env:(\w+)$/.exec(address) ?? [];
    const url = variable === undefined ? address : (this.environment[variable] ?? '');
    if (!SETTING_FORMATS.database(url)) {
      // The value may contain a password.
      throw new UsageError(`${variable ?? option} ${SETTINGS.DATABASE_URL['x-message']}.`);
    }
    return databaseTarget(url);
  }

  /**
   * Prints to standard error which database is used.
   * @throws ConfigError if the command would create a second database next to that of a Compose installation
   */
  private announce(config: Config): void {
    refuseSecondDatabase(config, this.environment);
    process.stderr.write(`${databaseLine(config.database)}\n`);
  }

  /** Services use the server's secret, because keys in Redis depend on it. */
  private async start(config = storedSessionSecret(this.config)): Promise<Application> {
    this.announce(config);
    const { startApplication } = await import('./application.js');
    return startApplication(config, await this.loadEntities());
  }

  private async startUsers(): Promise<UsersApplication> {
    const { config } = this;
    this.announce(config);
    const { startUsers } = await import('./users-application.js');
    return startUsers(config);
  }
}

/** Messages about waiting go to standard error, because standard output is for results. */
const printWait: OnWait = (reason) => void process.stderr.write(`${reason}\n`);

/** Describes the database that a command uses, in one line without secrets. Call it before opening the database. */
function databaseLine(target: DatabaseTarget, label = 'Database'): string {
  return `${label}: ${target.engine === 'sqlite' ? fileWords(target.file) : mysqlWords(target.url)}`;
}

function fileWords(file: string): string {
  if (existsSync(file)) {
    return resolve(file);
  }
  const ofQuickstart = join(dirname(file), 'demo', basename(file));
  return existsSync(ofQuickstart)
    ? `${resolve(file)} (new; the quick start uses a different file: DATABASE_URL=sqlite:${ofQuickstart})`
    : `${resolve(file)} (new)`;
}

function mysqlWords(url: string): string {
  const urls = (hostUrls(url) ?? []).map((one) => new URL(one));
  const name = urls[0]?.pathname.slice(1) ?? '';
  return `MySQL, ${name} on ${urls.map(({ host }) => host).join(', ')}`;
}
