import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { ExperimentsModule } from '../experiments/experiments.module';
import { ProjectsModule } from '../projects/projects.module';
import { RESOURCE_MODULES, resourceItemsProvider } from '../resources/registry';
import { TeamsModule } from '../teams/teams.module';
import { TokensModule } from '../users/tokens/tokens.service';
import { UsersModule } from '../users/users.module';
import { DemoEvents } from './demo-events';
import { DemoStore } from './demo.store';
import { DemoSeeder } from './demo-seeder';
import { DemoService } from './demo.service';
import { QuickstartService } from './quickstart.service';

@Module({
  imports: [
    UsersModule,
    TokensModule,
    TeamsModule,
    ProjectsModule,
    ...RESOURCE_MODULES,
    ExperimentsModule,
    EventsModule,
  ],
  providers: [resourceItemsProvider, DemoService, DemoSeeder, DemoEvents, DemoStore, QuickstartService],
  exports: [DemoService, QuickstartService],
})
export class DemoModule {}
