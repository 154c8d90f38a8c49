import { DynamicModule, Module } from '@nestjs/common';
import { Config } from '../config/config';
import { ConfigModule } from '../config/config.module';
import { Database } from '../database/database';
import { DatabaseModule } from '../database/database.module';
import { DemoModule } from '../demo/demo.module';
import { EnvironmentsModule } from '../environments/environments.module';
import { ExperimentsModule } from '../experiments/experiments.module';
import { EventsModule } from '../events/events.module';
import { FreshnessModule } from '../freshness/freshness.module';
import { GoalsModule } from '../goals/goals.module';
import { MetricsModule } from '../metrics/metrics.module';
import { ProjectsModule } from '../projects/projects.module';
import { PublishingModule } from '../publishing/publishing.module';
import { TeamsModule } from '../teams/teams.module';
import { TokensModule } from '../tokens/tokens.module';
import { TrashModule } from '../trash/trash.module';
import { UsersModule } from '../users/users.module';
import { ExperimentNames } from './experiment-names';

/** The services that commands call, and all that these tell of changes: the rules are those of the server. */
@Module({
  imports: [
    FreshnessModule,
    MetricsModule,
    UsersModule,
    TokensModule,
    TeamsModule,
    ProjectsModule,
    EnvironmentsModule,
    GoalsModule,
    ExperimentsModule,
    EventsModule,
    PublishingModule,
    TrashModule,
    DemoModule,
  ],
  providers: [ExperimentNames],
})
export class AdminModule {
  static forRoot(config: Config, database: Database): DynamicModule {
    return { module: AdminModule, imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(database)] };
  }
}
