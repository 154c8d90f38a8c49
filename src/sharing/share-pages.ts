import { Injectable } from '@nestjs/common';
import type { RawQuery } from '../common/lists/list-query';
import { nowInSeconds } from '../common/time/clock';
import { loadDrawing } from '../presentation/plots/drawing';
import { EVERYBODY } from '../results/result-filter';
import { ResultsService } from '../results/results.service';
import { readFilterForm } from './filter-form';
import { renderNoResultsPage, renderNotFoundPage, renderWrongFilterPage } from './page/other-pages';
import { renderSharePage } from './page/share-page';
import { isFiltered } from './filter-words';
import { Shared, Shares } from './shares';

export interface Page {
  status: number;
  text: string;
}

/** Makes the pages that people see under a share address. */
@Injectable()
export class SharePages {
  constructor(
    private readonly results: ResultsService,
    private readonly shares: Shares,
  ) {}

  notFound(): Page {
    return { status: 404, text: renderNotFoundPage() };
  }

  /** The results under the filter of the query, or why there are none. */
  async show({ experimentId, lastEventAt }: Shared, query: RawQuery): Promise<Page> {
    const asOf = nowInSeconds();
    const { filter, form } = readFilterForm(query);
    const results = await this.results.read(experimentId, filter ?? EVERYBODY, asOf);
    if (!results.hasResults) {
      return { status: 200, text: renderNoResultsPage({ results, asOf, lastEventAt }) };
    }
    if (filter === null) {
      return { status: 422, text: renderWrongFilterPage({ results, asOf, lastEventAt }, form) };
    }
    const [progress, everybody, expectedShares] = await Promise.all([
      this.results.progress(experimentId, filter, asOf),
      isFiltered(filter) ? this.results.read(experimentId, EVERYBODY, asOf) : results,
      this.shares.expectedShares(experimentId),
    ]);
    const model = { results, everybody, expectedShares, progress, filter, form, asOf, lastEventAt };
    return { status: 200, text: renderSharePage(model, await loadDrawing()) };
  }
}
