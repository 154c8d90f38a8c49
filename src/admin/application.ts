import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '../config/config';
import type { Entities } from '../database/data-source';
import { Database } from '../database/database';
import { DemoService } from '../demo/demo.service';
import { QuickstartService } from '../demo/quickstart.service';
import { EnvironmentsService } from '../environments/environments.service';
import { ImportService } from '../events/import/import.service';
import { RebuildService } from '../events/rebuild.service';
import { ShareTokensService } from '../experiments/share-tokens.service';
import { ProjectsService } from '../projects/projects.service';
import { PublicationsService } from '../publishing/publications.service';
import { TeamsService } from '../teams/teams.service';
import { TokensService } from '../tokens/tokens.service';
import { TrashService } from '../trash/trash.service';
import { UsersService } from '../users/users.service';
import { AdminModule } from './admin.module';
import { ExperimentNames } from './experiment-names';
import { INVOCATION } from './invocation';
import { reasonOf, RefusedError } from './refusals';

/** Everything that commands call. */
export interface Services {
  users: UsersService;
  tokens: TokensService;
  teams: TeamsService;
  projects: ProjectsService;
  environments: EnvironmentsService;
  experiments: ExperimentNames;
  imports: ImportService;
  rebuilds: RebuildService;
  shareTokens: ShareTokensService;
  publications: PublicationsService;
  trash: TrashService;
  demo: DemoService;
  quickstart: QuickstartService;
}

export interface Application {
  services: Services;
  close: () => Promise<void>;
}

async function openDatabase(config: Config, entities: Entities): Promise<Database> {
  try {
    return await Database.open(config.database, entities);
  } catch (error) {
    throw new RefusedError(`The database cannot be opened: ${reasonOf(error)}`);
  }
}

/** Brings the schema up to date and returns the names of the migrations that ran. */
export async function migrate(config: Config, entities: Entities): Promise<string[]> {
  const database = await openDatabase(config, entities);
  try {
    return await database.migrate();
  } finally {
    await database.onApplicationShutdown();
  }
}

async function requireCurrentSchema(database: Database): Promise<void> {
  const pending = await database.pendingMigrations();
  if (pending.length > 0) {
    const names = pending.join(', ');
    throw new RefusedError(
      `The database is behind by ${pending.length} migration(s): ${names}. Run: ${INVOCATION} db:migrate`,
    );
  }
}

function servicesOf(app: INestApplicationContext): Services {
  return {
    users: app.get(UsersService),
    tokens: app.get(TokensService),
    teams: app.get(TeamsService),
    projects: app.get(ProjectsService),
    environments: app.get(EnvironmentsService),
    experiments: app.get(ExperimentNames),
    imports: app.get(ImportService),
    rebuilds: app.get(RebuildService),
    shareTokens: app.get(ShareTokensService),
    publications: app.get(PublicationsService),
    trash: app.get(TrashService),
    demo: app.get(DemoService),
    quickstart: app.get(QuickstartService),
  };
}

/**
 * Opens the database and starts the services on it, without a server.
 * @throws RefusedError when the database cannot be reached, or is behind and does not migrate by itself
 */
export async function startApplication(config: Config, entities: Entities): Promise<Application> {
  const database = await openDatabase(config, entities);
  try {
    await requireCurrentSchema(database);
    const module = AdminModule.forRoot(config, database);
    const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    return { services: servicesOf(app), close: () => app.close() };
  } catch (error) {
    await database.onApplicationShutdown();
    throw error;
  }
}
