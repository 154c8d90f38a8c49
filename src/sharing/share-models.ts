import { Injectable } from '@nestjs/common';
import type { RawQuery } from '../common/lists/list-query';
import { nowInSeconds } from '../common/time/clock';
import type { ExperimentResults } from '../results/experiment-results';
import { EntrySeries } from '../results/entry-series.service';
import { EVERYBODY } from '../results/result-filter';
import { ResultsReports } from '../results/results-report';
import { readFilterForm, isFiltered } from './filter';
import { GOALS_WITH_PLOTS, maxEntryPeriods, type Shareable } from './share-model';
import type { Shared } from './shares';

interface ShownGoals {
  /** The single goal to show. */
  only?: number;
  /** Whether the unfiltered results must include all goals, not just the primary one. */
  hasAllGoals?: boolean;
}

/** Reads the data of a results page. */
@Injectable()
export class ShareModels {
  constructor(
    private readonly reports: ResultsReports,
    private readonly series: EntrySeries,
  ) {}

  /**
   * The filtered results, or the reason why there are none.
   */
  async read(
    { experimentId, lastEventAt, path }: Shared,
    query: RawQuery,
    { only, hasAllGoals = false }: ShownGoals = {},
  ): Promise<Shareable> {
    const asOf = nowInSeconds();
    const { filter, form } = readFilterForm(query);
    const without = (results: ExperimentResults) => ({ results, asOf, lastEventAt });
    const readEverybody = (): Promise<ExperimentResults> =>
      hasAllGoals
        ? this.reports.results(experimentId, EVERYBODY, asOf)
        : this.reports.everybody(experimentId, asOf);
    if (filter === null) {
      const header = without(await readEverybody());
      return header.results.hasResults
        ? { outcome: 'wrong filter', header, form }
        : { outcome: 'no results', header };
    }
    const { results, progress } = await this.reports.read(experimentId, filter, asOf, (id, index) =>
      only === undefined ? index < GOALS_WITH_PLOTS : id === only,
    );
    if (!results.hasResults) {
      return { outcome: 'no results', header: without(results) };
    }
    const everybody = isFiltered(filter, results.hasWindows) ? await readEverybody() : results;
    const [goal = null] = results.goals.filter(({ id }) => only === undefined || id === only);
    const entries = goal && {
      name: goal.name,
      ...(await this.series.both(
        experimentId,
        goal.id,
        filter,
        asOf,
        maxEntryPeriods(goal.variations.length - 1),
      )),
    };
    const model = { ...without(results), everybody, progress, entries, filter, form, path };
    return { outcome: 'results', model };
  }
}
