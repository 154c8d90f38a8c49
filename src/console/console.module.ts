import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module';
import { ExperimentsModule } from '../experiments/experiments.module';
import { HistoryModule } from '../audit/history/history.module';
import { InstallationModule } from '../projects/installation/installation.controller';
import { PlanningModule } from '../experiments/planning/planning.module';
import { ProjectsModule } from '../projects/projects.module';
import { PublishingModule } from '../publishing/publishing.module';
import { RESOURCE_MODULES, resourceItemsProvider } from '../resources/registry';
import { ResultReadsModule } from '../results/results.module';
import { SharingModule } from '../sharing/sharing.module';
import { TeamsModule } from '../teams/teams.module';
import {
  CodeController,
  DefinitionsController,
  LiveEventsController,
  ProjectPagesController,
} from './project-pages.controller';
import { Definitions } from './definitions/definitions';
import { DefinitionUses } from './definitions/definition-uses.store';
import { DownloadsController } from './downloads/downloads.controller';
import { ExperimentList } from './experiment-list';
import { ExperimentListStore } from './experiment-list.store';
import { ExperimentViews } from './experiment-view';
import {
  ExperimentFormsController,
  ExperimentRemovalController,
  ExperimentSharingController,
} from './experiment-forms.controller';
import { ExperimentStepsController } from './experiment-steps.controller';
import { ExperimentSubjects } from './experiment-subject';
import { ApiCalls } from './forms/api-calls';
import { ConsoleForms } from './forms/console-forms';
import { HistoryPagesController, RevertPagesController } from './history/history.controller';
import { HomeController } from './home.controller';
import { HomeStore } from './home.store';
import { MemberPagesController } from './members/members.controller';
import { TeamSubjects } from './members/team-subject';
import { NextStepReader } from './next-step-reader';
import { CreationFormsController, NewProjectController } from './project-forms/creation-forms.controller';
import { ProjectFormsController } from './project-forms/project-forms.controller';
import { ProjectSubjects } from './project-forms/project-subject';
import { ProjectPages } from './project-pages';
import { ExpectedChanges } from './publications/changes';
import { PublicationPagesController, RollbackPagesController } from './publications/publications.controller';
import { ExperimentSearch } from './search/experiment-search';
import { ExperimentSearchController } from './search/experiment-search.controller';
import { ExperimentSearchStore } from './search/experiment-search.store';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { WebhookPagesController } from './webhooks/webhooks.controller';

/** The pages of projects and experiments for signed-in users. Forms on these pages call the API. */
@Module({
  imports: [
    ...RESOURCE_MODULES,
    AccountModule,
    ProjectsModule,
    ExperimentsModule,
    ResultReadsModule,
    SharingModule,
    PublishingModule,
    PlanningModule,
    HistoryModule,
    InstallationModule,
    TeamsModule,
    WebhooksModule,
  ],
  controllers: [
    DownloadsController,
    HomeController,
    ExperimentSearchController,
    ProjectPagesController,
    DefinitionsController,
    CodeController,
    LiveEventsController,
    ExperimentFormsController,
    ExperimentRemovalController,
    ExperimentStepsController,
    MemberPagesController,
    NewProjectController,
    ProjectFormsController,
    CreationFormsController,
    PublicationPagesController,
    RollbackPagesController,
    HistoryPagesController,
    RevertPagesController,
    ExperimentSharingController,
    WebhookPagesController,
  ],
  providers: [
    resourceItemsProvider,
    Definitions,
    DefinitionUses,
    HomeStore,
    ExperimentSearch,
    ExperimentSearchStore,
    ExperimentList,
    ExperimentListStore,
    ExperimentViews,
    ExperimentSubjects,
    NextStepReader,
    ProjectPages,
    ApiCalls,
    ConsoleForms,
    ExpectedChanges,
    TeamSubjects,
    ProjectSubjects,
  ],
})
export class ConsoleModule {}
