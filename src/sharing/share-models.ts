import { Injectable } from '@nestjs/common';
import type { RawQuery } from '../common/lists/list-query';
import { nowInSeconds } from '../common/time/clock';
import type { ExperimentResults } from '../results/experiment-results';
import { EntrySeries } from '../results/entry-series.service';
import { ResultsReports } from '../results/results-report';
import { readFilterForm } from './filter-form';
import { isFiltered } from './filter-words';
import { GOALS_WITH_PLOTS, type Shareable } from './share-model';
import type { Shared } from './shares';

/** Reads the data of a results page. */
@Injectable()
export class ShareModels {
  constructor(
    private readonly reports: ResultsReports,
    private readonly series: EntrySeries,
  ) {}

  /**
   * The filtered results, or the reason why there are none.
   * @param only the goal that is shown alone
   */
  async read(
    { experimentId, lastEventAt, path }: Shared,
    query: RawQuery,
    only?: number,
  ): Promise<Shareable> {
    const asOf = nowInSeconds();
    const { filter, form } = readFilterForm(query);
    const without = (results: ExperimentResults) => ({ results, asOf, lastEventAt });
    if (filter === null) {
      const standing = without(await this.reports.everybody(experimentId, asOf));
      return standing.results.hasResults
        ? { outcome: 'wrong filter', standing, form }
        : { outcome: 'no results', standing };
    }
    const { results, progress } = await this.reports.read(experimentId, filter, asOf, (id, index) =>
      only === undefined ? index < GOALS_WITH_PLOTS : id === only,
    );
    if (!results.hasResults) {
      return { outcome: 'no results', standing: without(results) };
    }
    const everybody = isFiltered(filter) ? await this.reports.everybody(experimentId, asOf) : results;
    const { expectedShares } = everybody;
    const [goal = null] = results.goals.filter(({ id }) => only === undefined || id === only);
    const entries = goal && {
      name: goal.name,
      ...(await this.series.both(experimentId, goal.id, filter, asOf)),
    };
    const model = { ...without(results), everybody, expectedShares, progress, entries, filter, form, path };
    return { outcome: 'results', model };
  }
}
