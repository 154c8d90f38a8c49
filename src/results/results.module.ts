import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { ExperimentFactsReader } from './experiment-facts';
import { GoalRules } from './goal-rules';
import { KnownComparisons } from './known-comparisons';
import { ResultCells } from './result-cells';
import { GoalSeriesController, ResultsController, ResultsInfoController } from './results.controller';
import { ResultsService } from './results.service';

@Module({
  imports: [ProjectsModule],
  controllers: [ResultsController, ResultsInfoController, GoalSeriesController],
  providers: [ResultsService, ExperimentFactsReader, ResultCells, GoalRules, KnownComparisons],
  exports: [ResultsService],
})
export class ResultsModule {}
