import { DynamicModule, Module, type INestApplicationContext } from '@nestjs/common';
import { TokensModule, TokensService } from '../users/tokens/tokens.service';
import { Config } from '../config/config';
import { ConfigModule } from '../config/config.module';
import type { Entities } from '../database/data-source';
import { Database } from '../database/database';
import { DatabaseModule } from '../database/database.module';
import type { OnWait } from '../database/migration-lock';
import { DefinitionImportsModule } from '../definition/imports/definition-imports.module';
import { DefinitionImportsService } from '../definition/imports/definition-imports.service';
import { DemoModule } from '../demo/demo.module';
import { DemoService } from '../demo/demo.service';
import { QuickstartService } from '../demo/quickstart.service';
import { VisitorDeletionService } from '../events/deletions/visitor-deletion.service';
import { EventsModule } from '../events/events.module';
import { ExclusionsService } from '../events/exclusions/exclusions.service';
import { ExportService } from '../events/export/export.service';
import { ImportService } from '../events/import/import.service';
import { RebuildService } from '../events/rebuild.service';
import { ExperimentsModule } from '../experiments/experiments.module';
import { PreviewRotationService } from '../experiments/preview-rotation.service';
import { ShareTokensService } from '../experiments/share-tokens.service';
import { ConditionalRequestsModule } from '../platform/conditional-requests/conditional-requests';
import { MetricsModule } from '../platform/metrics/metrics.module';
import { ProjectsModule } from '../projects/projects.module';
import { ProjectsService } from '../projects/projects.service';
import { PublicationsService } from '../publishing/publications.service';
import { PublishingModule } from '../publishing/publishing.module';
import { unsupportedPatterns } from '../publishing/startup-warnings';
import { EnvironmentsService } from '../resources/environments/environments.service';
import { RESOURCE_MODULES } from '../resources/registry';
import { TeamsModule } from '../teams/teams.module';
import { TeamsService } from '../teams/teams.service';
import { TrashModule } from '../projects/trash/trash.module';
import { TrashService } from '../projects/trash/trash.service';
import { UsersModule } from '../users/users.module';
import { UsersService } from '../users/users.service';
import { ExperimentNameStore } from './experiment-name.store';
import { openDatabase } from './open-database';
import { SetupService } from './setup.service';
import { startModule } from './start-module';

/** The services that commands call, with all observers of changes, so commands follow the same rules as the server. */
@Module({
  imports: [
    ConditionalRequestsModule,
    MetricsModule,
    UsersModule,
    TokensModule,
    TeamsModule,
    ProjectsModule,
    ...RESOURCE_MODULES,
    ExperimentsModule,
    EventsModule,
    PublishingModule,
    TrashModule,
    DemoModule,
    DefinitionImportsModule,
  ],
  providers: [ExperimentNameStore, SetupService],
})
class AdminModule {
  static forRoot(config: Config, database: Database): DynamicModule {
    return { module: AdminModule, imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(database)] };
  }
}

/** All services that commands call. */
export interface Services {
  setup: SetupService;
  users: UsersService;
  tokens: TokensService;
  teams: TeamsService;
  projects: ProjectsService;
  environments: EnvironmentsService;
  experiments: ExperimentNameStore;
  definitionImports: DefinitionImportsService;
  imports: ImportService;
  exports: ExportService;
  rebuilds: RebuildService;
  exclusions: ExclusionsService;
  visitorDeletions: VisitorDeletionService;
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

const UNCHECKED =
  'On MySQL and MariaDB, Gosset cannot detect whether processes of the earlier release were running during the migration. If they were, stop them, then run results:rebuild.';

/** The result of a migration. */
export interface Migrated {
  /** Names of the migrations that ran. */
  migrations: string[];
  /** Path of the copy made before the migration; null unless a SQLite database from an earlier release was migrated. */
  copy: string | null;
  /**
   * Checks that could not be made, and definitions stored by an older release that no longer work; one sentence each.
   */
  warnings: string[];
}

/** Migrates the schema and checks stored definitions. @param onWait gets the reason for waiting */
export async function migrate(config: Config, entities: Entities, onWait: OnWait): Promise<Migrated> {
  const database = await openDatabase(config, entities);
  try {
    const migrations = await database.migrate(onWait);
    const unchecked = (await isUnchecked(database, migrations)) ? [UNCHECKED] : [];
    const warnings = [...unchecked, ...(await unsupportedPatterns(database.read))];
    return { migrations, copy: database.copy, warnings };
  } finally {
    await database.onApplicationShutdown();
  }
}

/**
 * Whether processes of an earlier release may be running. An upgrade that resumes runs only the remaining migrations, so
 * a new database is recognised by having no users.
 */
async function isUnchecked(database: Database, migrations: readonly string[]): Promise<boolean> {
  return database.engine === 'mysql' && migrations.length > 0 && new UsersService(database).areAny();
}

function servicesOf(app: INestApplicationContext): Services {
  return {
    setup: app.get(SetupService),
    users: app.get(UsersService),
    tokens: app.get(TokensService),
    teams: app.get(TeamsService),
    projects: app.get(ProjectsService),
    environments: app.get(EnvironmentsService),
    experiments: app.get(ExperimentNameStore),
    definitionImports: app.get(DefinitionImportsService),
    imports: app.get(ImportService),
    exports: app.get(ExportService),
    rebuilds: app.get(RebuildService),
    exclusions: app.get(ExclusionsService),
    visitorDeletions: app.get(VisitorDeletionService),
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
  const app = await startModule(config, entities, AdminModule);
  return { services: servicesOf(app), close: () => app.close() };
}
