import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { EntrySeries } from './entry-series.service';
import { ExperimentFactsReader } from './experiment-facts.store';
import { KnownComparisons } from './known-comparisons';
import { ResultCells } from './result-cells.store';
import { GoalSeriesController, ResultsController, ResultsInfoController } from './results.controller';
import { ResultsReports } from './results-report';
import { ResultsService } from './results.service';

@Module({
  imports: [ProjectsModule],
  controllers: [ResultsController, ResultsInfoController, GoalSeriesController],
  providers: [
    ResultsService,
    EntrySeries,
    ResultsReports,
    ExperimentFactsReader,
    ResultCells,
    KnownComparisons,
  ],
  exports: [ResultsService, ResultsReports, EntrySeries, ResultCells],
})
export class ResultsModule {}
