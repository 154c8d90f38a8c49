import { Module } from '@nestjs/common';
import { EntrySeries } from './entry-series.service';
import { ExperimentFactsReader } from './experiment-facts.store';
import { KnownComparisons } from './known-comparisons';
import { ResultCells } from './result-cells.store';
import { GoalSeriesController, ResultsController, ResultsInfoController } from './results.controller';
import { ResultsReports } from './results-report';
import { ResultsService } from './results.service';
import { WaitingEvents } from './result-sources.store';

/** Results without routes, for modules that read results and for worker processes. */
@Module({
  providers: [
    ResultsService,
    EntrySeries,
    ResultsReports,
    ExperimentFactsReader,
    ResultCells,
    KnownComparisons,
    WaitingEvents,
  ],
  exports: [ResultsService, ResultsReports, EntrySeries, ResultCells, WaitingEvents],
})
export class ResultReadsModule {}

/** The results routes. */
@Module({
  imports: [ResultReadsModule],
  controllers: [ResultsController, ResultsInfoController, GoalSeriesController],
  exports: [ResultReadsModule],
})
export class ResultsModule {}
