import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../platform/access/route-access';
import { AsOf, InScope, ProjectScope } from '../platform/access/scope';
import { Computed, Download } from '../common/http/answers';
import type { RawQuery } from '../common/lists/list-query';
import type { Micros } from '../common/time/clock';
import { experimentPath } from '../experiments/experiment.store';
import { AgeEntry, SeriesEntry, WeekEntry } from './series.record';
import { EntrySeries } from './entry-series.service';
import { parseResultFilter, parseSeriesQuery } from './result-filter';
import { attachedGoalPath, RESULT_SOURCES, WAITING_VERSIONS } from './result-sources.store';
import { ResultEntry, ResultsInfo, toResultEntries } from './result.record';
import {
  InfoOperation,
  ResultsOperation,
  SeriesDownloadOperation,
  SeriesOperation,
} from './results.reference';
import { NoResultError, ResultsService } from './results.service';
import { seriesCsv } from './series';

const SECONDS_PER_DAY = 86_400;
const CSV_TYPE = 'text/csv; charset=utf-8';

/**
 * @param lasts see `AnswerSources`
 * @param more the versions on which responses depend in addition to the versions for all results
 */
const inExperiment = (lasts: string, more: readonly string[] = []): ClassDecorator =>
  InProject({
    collection: 'experiments',
    items: [experimentPath, attachedGoalPath],
    sources: { ...RESULT_SOURCES, versions: [...RESULT_SOURCES.versions, ...more], lasts },
  });

/**
 * The statistics. While the experiment is running, durations increase every second. Apart from that, the passage of
 * time changes the response at most once a day.
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
@inExperiment('0', WAITING_VERSIONS)
export class ResultsInfoController {
  constructor(private readonly results: ResultsService) {}

  @Get()
  @Can('read')
  @InfoOperation()
  async show(@InScope() scope: ProjectScope, @AsOf() asOf: Micros): Promise<Computed<ResultsInfo>> {
    return new Computed(await this.results.info(scope.target.id, asOf));
  }
}

/** A goal's series, which continues until today. */
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
