import { Config, loadConfig } from '../config/config';
import { resolveSessionSecret } from '../config/session-secret';
import type { Entities } from '../database/data-source';
import type { Application, Migrated, Services } from './application';

/** The context of commands. Modules are loaded on demand, so help and usage errors are immediate. */
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

  /** The services of the application. The first call starts it on a current database. */
  async services(): Promise<Services> {
    this.application ??= this.start();
    return (await this.application).services;
  }

  /**
   * The services for commands that print signed links. @throws ConfigError if the server's secret is unknown, because
   * the links would be invalid
   */
  async signingServices(): Promise<Services> {
    this.application ??= this.start(resolveSessionSecret(this.config));
    return this.services();
  }

  /** Migrates the schema and checks stored definitions. */
  async migrate(): Promise<Migrated> {
    const { config } = this;
    const { migrate } = await import('./application.js');
    return migrate(config, await this.loadEntities());
  }

  /** Closes the database if it was opened. */
  async close(): Promise<void> {
    const application = await this.application?.catch(() => undefined);
    await application?.close();
  }

  private async start(config = this.config): Promise<Application> {
    const { startApplication } = await import('./application.js');
    return startApplication(config, await this.loadEntities());
  }
}
