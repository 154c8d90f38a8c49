import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../access/route-access';
import { AsOf, InScope, PathItem, ProjectScope } from '../access/scope';
import { Computed, Download } from '../common/freshness/answers';
import type { RawQuery } from '../common/lists/list-query';
import type { Micros } from '../common/time/clock';
import { experimentPath } from '../experiments/experiment-path';
import { parseResultFilter } from './result-filter';
import { ResultEntry, ResultsInfo, SeriesEntry, toResultEntries } from './result.record';
import {
  InfoOperation,
  ResultsOperation,
  SeriesDownloadOperation,
  SeriesOperation,
} from './results.reference';
import { NoResultError, ResultsService } from './results.service';
import { seriesCsv } from './series-csv';

const SECONDS_PER_DAY = 86_400;
const CSV_TYPE = 'text/csv; charset=utf-8';

/** Only goals that are attached to the experiment have results in it. */
const attachedGoalPath: PathItem = {
  param: 'goal',
  table: 'goals JOIN experiment_goals ON goal_id = id',
  parentColumn: 'experiment_id',
};

/**
 * The record of a project has its rules of decision, that of an experiment counts what is attached, too.
 * @param lasts see `AnswerSources`
 */
const inExperiment = (lasts: string): ClassDecorator =>
  InProject({
    collection: 'experiments',
    items: [experimentPath, attachedGoalPath],
    sources: {
      space: 'results',
      param: 'experiment',
      joins: `JOIN experiments e ON e.id = ? AND e.project_id = p.id AND e.deleted_at IS NULL
              LEFT JOIN experiment_results r ON r.experiment_id = e.id`,
      versions: ['p.version', 'e.version', 'COALESCE(r.version, 0)'],
      lasts,
    },
  });

/** The statistics. Their durations grow by the second while the experiment runs. */
@ApiTags('Results')
@Controller('projects/:project/experiments/:experiment/results')
@inExperiment("CASE WHEN e.status = 'running' THEN 1 ELSE 0 END")
export class ResultsController {
  constructor(private readonly results: ResultsService) {}

  @Get()
  @Can('read')
  @ResultsOperation()
  async list(
    @InScope() scope: ProjectScope,
    @Query() query: RawQuery,
    @AsOf() asOf: Micros,
  ): Promise<Computed<ResultEntry[]>> {
    const filter = parseResultFilter(query);
    const results = await this.results.read(scope.target.id, filter, asOf);
    if (!results.hasResults) {
      throw new NoResultError();
    }
    return new Computed(toResultEntries(results));
  }
}

@ApiTags('Results')
@Controller('projects/:project/experiments/:experiment/results/info')
@inExperiment('0')
export class ResultsInfoController {
  constructor(private readonly results: ResultsService) {}

  @Get()
  @Can('read')
  @InfoOperation()
  async show(@InScope() scope: ProjectScope): Promise<Computed<ResultsInfo>> {
    return new Computed(await this.results.info(scope.target.id));
  }
}

/** The series of a goal. It goes on until today. */
@ApiTags('Results')
@Controller('projects/:project/experiments/:experiment/results/goal/:goal')
@inExperiment(String(SECONDS_PER_DAY))
export class GoalSeriesController {
  constructor(private readonly results: ResultsService) {}

  @Get()
  @Can('read')
  @SeriesOperation()
  async list(
    @InScope() scope: ProjectScope,
    @Query() query: RawQuery,
    @AsOf() asOf: Micros,
  ): Promise<Computed<SeriesEntry[]>> {
    return new Computed(await this.rows(scope, query, asOf));
  }

  @Get('download')
  @Can('read')
  @SeriesDownloadOperation()
  async download(
    @InScope() scope: ProjectScope,
    @Query() query: RawQuery,
    @AsOf() asOf: Micros,
  ): Promise<Download> {
    const csv = seriesCsv(await this.rows(scope, query, asOf));
    const { experiment, goal } = scope.items;
    return new Download(csv, CSV_TYPE, `experiment-${experiment.id}-goal-${goal.id}.csv`);
  }

  private rows({ items }: ProjectScope, query: RawQuery, asOf: Micros): Promise<SeriesEntry[]> {
    return this.results.series(items.experiment.id, items.goal.id, parseResultFilter(query), asOf);
  }
}
