import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../access/route-access';
import { AsOf, InScope, PathItem, ProjectScope } from '../access/scope';
import { Computed, Download } from '../common/freshness/answers';
import type { RawQuery } from '../common/lists/list-query';
import type { Micros } from '../common/time/clock';
import { LATE_MICROS } from '../common/limits';
import { experimentPath } from '../experiments/experiment-path';
import { AgeEntry, WeekEntry } from './entry-series.record';
import { EntrySeries } from './entry-series.service';
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
import { parseSeriesQuery } from './series-query';

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
      turnsAt: `e.archived_at + ${LATE_MICROS}`,
    },
  });

/**
 * The statistics. Their durations grow by the second while the experiment runs; whole days count even when it does not.
 */
@ApiTags('Results')
@Controller('projects/:project/experiments/:experiment/results')
@inExperiment(`CASE WHEN e.status = 'running' THEN 1 ELSE ${SECONDS_PER_DAY} END`)
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
  async show(@InScope() scope: ProjectScope, @AsOf() asOf: Micros): Promise<Computed<ResultsInfo>> {
    return new Computed(await this.results.info(scope.target.id, asOf));
  }
}

/** The series of a goal. It goes on until today. */
@ApiTags('Results')
@Controller('projects/:project/experiments/:experiment/results/goal/:goal')
@inExperiment(String(SECONDS_PER_DAY))
export class GoalSeriesController {
  constructor(
    private readonly results: ResultsService,
    private readonly entries: EntrySeries,
  ) {}

  @Get()
  @Can('read')
  @SeriesOperation()
  async list(
    @InScope() scope: ProjectScope,
    @Query() query: RawQuery,
    @AsOf() asOf: Micros,
  ): Promise<Computed<SeriesEntry[] | AgeEntry[] | WeekEntry[]>> {
    return new Computed(await this.rows(scope, parseSeriesQuery(query), asOf));
  }

  @Get('download')
  @Can('read')
  @SeriesDownloadOperation()
  async download(
    @InScope() scope: ProjectScope,
    @Query() query: RawQuery,
    @AsOf() asOf: Micros,
  ): Promise<Download> {
    const asked = parseSeriesQuery(query);
    const csv = seriesCsv(await this.rows(scope, asked, asOf), asked.by);
    const { experiment, goal } = scope.items;
    const suffix = asked.by === 'date' ? '' : `-by-${asked.by}`;
    return new Download(csv, CSV_TYPE, `experiment-${experiment.id}-goal-${goal.id}${suffix}.csv`);
  }

  private rows(
    { items: { experiment, goal } }: ProjectScope,
    { by, filter }: ReturnType<typeof parseSeriesQuery>,
    asOf: Micros,
  ): Promise<SeriesEntry[] | AgeEntry[] | WeekEntry[]> {
    switch (by) {
      case 'date':
        return this.results.series(experiment.id, goal.id, filter, asOf);
      case 'age':
        return this.entries.byAge(experiment.id, goal.id, filter, asOf);
      case 'week':
        return this.entries.byWeek(experiment.id, goal.id, filter, asOf);
    }
  }
}
