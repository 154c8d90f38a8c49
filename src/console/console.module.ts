import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module';
import { ExperimentsModule } from '../experiments/experiments.module';
import { ProjectsModule } from '../projects/projects.module';
import { PublishingModule } from '../publishing/publishing.module';
import { ResultsModule } from '../results/results.module';
import { SharingModule } from '../sharing/sharing.module';
import { ExperimentList } from './experiment-list';
import { ExperimentViews } from './experiment-view';
import { HomeController } from './home.controller';
import { HomeReader } from './home-reader';
import { ProjectPagesController } from './project-pages.controller';

/** What people see of their experiments when they are signed in. Changing things stays with the API. */
@Module({
  imports: [AccountModule, ProjectsModule, ExperimentsModule, ResultsModule, SharingModule, PublishingModule],
  controllers: [HomeController, ProjectPagesController],
  providers: [HomeReader, ExperimentList, ExperimentViews],
})
export class ConsoleModule {}
