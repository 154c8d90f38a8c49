import { Module } from '@nestjs/common';
import { AudiencesModule } from '../audiences/audiences.module';
import { EnvironmentsModule } from '../environments/environments.module';
import { EventsModule } from '../events/events.module';
import { ExperimentsModule } from '../experiments/experiments.module';
import { GoalsModule } from '../goals/goals.module';
import { PagesModule } from '../pages/pages.module';
import { ProjectsModule } from '../projects/projects.module';
import { TeamsModule } from '../teams/teams.module';
import { TokensModule } from '../tokens/tokens.module';
import { UsersModule } from '../users/users.module';
import { DemoEvents } from './demo-events';
import { DemoReader } from './demo-reader';
import { DemoSeeder } from './demo-seeder';
import { DemoService } from './demo.service';
import { QuickstartService } from './quickstart.service';

@Module({
  imports: [
    UsersModule,
    TokensModule,
    TeamsModule,
    ProjectsModule,
    EnvironmentsModule,
    AudiencesModule,
    PagesModule,
    GoalsModule,
    ExperimentsModule,
    EventsModule,
  ],
  providers: [DemoService, DemoSeeder, DemoEvents, DemoReader, QuickstartService],
  exports: [DemoService, QuickstartService],
})
export class DemoModule {}
