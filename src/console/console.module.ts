import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module';
import { ExperimentsModule } from '../experiments/experiments.module';
import { InstallationModule } from '../installation/installation.module';
import { PlanningModule } from '../planning/planning.module';
import { ProjectsModule } from '../projects/projects.module';
import { PublishingModule } from '../publishing/publishing.module';
import { ResultsModule } from '../results/results.module';
import { SharingModule } from '../sharing/sharing.module';
import { ExperimentList } from './experiment-list';
import { ExperimentListStore } from './experiment-list.store';
import { ExperimentViews } from './experiment-view';
import { HomeController } from './home.controller';
import { HomeStore } from './home.store';
import { LiveEventsController } from './live-events.controller';
import { ProjectPagesController } from './project-pages.controller';

/** Read-only pages of experiments for signed-in users. Changes need the API. */
@Module({
  imports: [
    AccountModule,
    ProjectsModule,
    ExperimentsModule,
    ResultsModule,
    SharingModule,
    PublishingModule,
    PlanningModule,
    InstallationModule,
  ],
  controllers: [HomeController, ProjectPagesController, LiveEventsController],
  providers: [HomeStore, ExperimentList, ExperimentListStore, ExperimentViews],
})
export class ConsoleModule {}
