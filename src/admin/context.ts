import { Config, loadConfig } from '../config/config';
import type { Entities } from '../database/data-source';
import type { Application, Services } from './application';

/** What commands work with. Nothing is loaded before a command needs it, so help and wrong usage answer at once. */
export class AdminContext {
  private application: Promise<Application> | undefined;

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly loadEntities: () => Promise<Entities>,
  ) {}

  /** @throws ConfigError when the environment is wrong */
  get config(): Config {
    return loadConfig(this.environment);
  }

  /** The services of the application, which is started on a current database when they are first asked for. */
  async services(): Promise<Services> {
    this.application ??= this.start();
    return (await this.application).services;
  }

  /** Brings the schema up to date and returns the names of the migrations that ran. */
  async migrate(): Promise<string[]> {
    const { config } = this;
    const { migrate } = await import('./application.js');
    return migrate(config, await this.loadEntities());
  }

  /** Closes the database if it was opened. */
  async close(): Promise<void> {
    const application = await this.application?.catch(() => undefined);
    await application?.close();
  }

  private async start(): Promise<Application> {
    const { config } = this;
    const { startApplication } = await import('./application.js');
    return startApplication(config, await this.loadEntities());
  }
}
