import { Injectable } from '@nestjs/common';
import type { RawQuery } from '../common/lists/list-query';
import { Micros, nowInSeconds } from '../common/time/clock';
import type { ExperimentResults, ResultFilter } from '../results/experiment-results';
import { EVERYBODY } from '../results/result-filter';
import { ResultsService } from '../results/results.service';
import { readFilterForm } from './filter-form';
import { isFiltered } from './filter-words';
import type { Shareable } from './share-model';
import { Shared, Shares } from './shares';

/** Reads what is shown of an experiment's results. */
@Injectable()
export class ShareModels {
  constructor(
    private readonly results: ResultsService,
    private readonly shares: Shares,
  ) {}

  /** The results under the filter of the query, or why there are none. */
  async read({ experimentId, lastEventAt }: Shared, query: RawQuery): Promise<Shareable> {
    const asOf = nowInSeconds();
    const { filter, form } = readFilterForm(query);
    const results = await this.results.read(experimentId, filter ?? EVERYBODY, asOf);
    const standing = { results, asOf, lastEventAt };
    if (!results.hasResults) {
      return { outcome: 'no results', standing };
    }
    if (filter === null) {
      return { outcome: 'wrong filter', standing, form };
    }
    const [progress, everybody, expectedShares] = await Promise.all([
      this.results.progress(experimentId, filter, asOf),
      this.everybody(results, filter, asOf),
      this.shares.expectedShares(experimentId),
    ]);
    return { outcome: 'results', model: { ...standing, everybody, expectedShares, progress, filter, form } };
  }

  /** The results without the filter that others were read under. */
  async everybody(
    results: ExperimentResults,
    filter: ResultFilter,
    asOf: Micros,
  ): Promise<ExperimentResults> {
    return isFiltered(filter) ? this.results.read(results.experiment.id, EVERYBODY, asOf) : results;
  }
}
