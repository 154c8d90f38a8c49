import { DynamicModule, Module } from '@nestjs/common';
import { Config } from '../config/config';
import { ConfigModule } from '../config/config.module';
import { Database } from '../database/database';
import { DatabaseModule } from '../database/database.module';
import { DefinitionImportsModule } from '../definition/imports/definition-imports.module';
import { DemoModule } from '../demo/demo.module';
import { ExperimentsModule } from '../experiments/experiments.module';
import { EventsModule } from '../events/events.module';
import { ConditionalRequestsModule } from '../platform/conditional-requests/conditional-requests.module';
import { MetricsModule } from '../platform/metrics/metrics.module';
import { ProjectsModule } from '../projects/projects.module';
import { PublishingModule } from '../publishing/publishing.module';
import { RESOURCE_MODULES } from '../resources/registry';
import { TeamsModule } from '../teams/teams.module';
import { TokensModule } from '../auth/tokens/tokens.module';
import { TrashModule } from '../trash/trash.module';
import { UsersModule } from '../users/users.module';
import { ExperimentNameStore } from './experiment-name.store';
import { SetupService } from './setup.service';

/** The services that commands call, with all observers of changes, so that the server's rules apply. */
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
export class AdminModule {
  static forRoot(config: Config, database: Database): DynamicModule {
    return { module: AdminModule, imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(database)] };
  }
}
