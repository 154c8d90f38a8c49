import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '../config/config';
import type { Entities } from '../database/data-source';
import { Database } from '../database/database';
import { isUpgrade } from '../database/migrations';
import { OpeningError } from '../database/opening-error';
import { DemoService } from '../demo/demo.service';
import { QuickstartService } from '../demo/quickstart.service';
import { EnvironmentsService } from '../environments/environments.service';
import { ExclusionsService } from '../events/exclusions/exclusions.service';
import { ImportService } from '../events/import/import.service';
import { RebuildService } from '../events/rebuild.service';
import { PreviewRotationService } from '../experiments/preview-rotation.service';
import { ShareTokensService } from '../experiments/share-tokens.service';
import { ProjectsService } from '../projects/projects.service';
import { PublicationsService } from '../publishing/publications.service';
import { unsupportedPatterns } from '../publishing/stored-patterns';
import { TeamsService } from '../teams/teams.service';
import { TokensService } from '../tokens/tokens.service';
import { TrashService } from '../trash/trash.service';
import { UsersService } from '../users/users.service';
import { AdminModule } from './admin.module';
import { ExperimentNameStore } from './experiment-name.store';
import { INVOCATION } from './invocation';
import { reasonOf, RefusedError } from './refusals';

/** Everything that commands call. */
export interface Services {
  users: UsersService;
  tokens: TokensService;
  teams: TeamsService;
  projects: ProjectsService;
  environments: EnvironmentsService;
  experiments: ExperimentNameStore;
  imports: ImportService;
  rebuilds: RebuildService;
  exclusions: ExclusionsService;
  shareTokens: ShareTokensService;
  previews: PreviewRotationService;
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
    const reason = reasonOf(error);
    throw new RefusedError(
      error instanceof OpeningError ? reason : `The database cannot be opened: ${reason}`,
    );
  }
}

const UNCHECKED =
  'MySQL and MariaDB do not tell whether processes of the earlier release were still running. If so, stop them, then run results:rebuild.';

/** The result of a migration. */
export interface Migrated {
  /** Names of the migrations that ran. */
  migrations: string[];
  /** Path of the copy made before; null unless a SQLite database of an earlier release was migrated. */
  copy: string | null;
  /** What could not be checked, and stored definitions of an older release that no longer work; one sentence each. */
  warnings: string[];
}

/** Migrates the schema and checks stored definitions. */
export async function migrate(config: Config, entities: Entities): Promise<Migrated> {
  const database = await openDatabase(config, entities);
  try {
    const migrations = await database.migrate();
    const unchecked = database.engine === 'mysql' && isUpgrade(migrations) ? [UNCHECKED] : [];
    const warnings = [...unchecked, ...(await unsupportedPatterns(database.read))];
    return { migrations, copy: database.copy, warnings };
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
    experiments: app.get(ExperimentNameStore),
    imports: app.get(ImportService),
    rebuilds: app.get(RebuildService),
    exclusions: app.get(ExclusionsService),
    shareTokens: app.get(ShareTokensService),
    previews: app.get(PreviewRotationService),
    publications: app.get(PublicationsService),
    trash: app.get(TrashService),
    demo: app.get(DemoService),
    quickstart: app.get(QuickstartService),
  };
}

/**
 * Opens the database and starts the services without a server. @throws RefusedError if the database is unreachable, or
 * its schema is outdated and needs `db:migrate`
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
