import { Module } from '@nestjs/common';
import { ResultReadsModule } from '../results/results.module';
import { VariationsModule } from '../experiments/variations/variations.module';
import { Renderings } from './renderings';
import { GoalImages } from './goal-plot';
import { ShareController } from './share.controller';
import { ShareLinksController } from './share-links.controller';
import { ShareLimit } from './share-limit';
import { ShareModels } from './share-models';
import { SharePages, SharedEntries, SharedViews } from './shared-views';
import { ShareStore } from './share.store';
import { SharedAnswers } from './shared-answers';
import { Shares } from './shares';
import { TeamResults } from './team-results';

@Module({
  imports: [ResultReadsModule, VariationsModule],
  controllers: [ShareLinksController, ShareController],
  providers: [
    Shares,
    ShareStore,
    ShareModels,
    TeamResults,
    SharePages,
    GoalImages,
    SharedEntries,
    SharedViews,
    SharedAnswers,
    Renderings,
    ShareLimit,
  ],
  exports: [Shares, TeamResults],
})
export class SharingModule {}
