import { Injectable } from '@nestjs/common';
import type { RawQuery } from '../common/lists/list-query';
import { parseResultFilter } from '../results/result-filter';
import { nowInSeconds } from '../common/time/clock';
import type { ResultFilter } from '../results/experiment-results';
import { toResultEntries } from '../results/result.record';
import { ResultsReports } from '../results/results-report';
import { NoResultError } from '../results/results.service';
import { readFilterForm, sharedQuery } from './filter-query';
import { GoalImages } from './goal-plot';
import { parseImageQuery } from './image-query';
import { SharePages } from './share-pages';
import type { View } from './shared-answers';
import type { Shared } from './shares';

/** The results of a shared experiment in the format of the API. */
@Injectable()
export class SharedEntries {
  constructor(private readonly reports: ResultsReports) {}

  /** @throws NoResultError if there are no participants */
  async draw({ experimentId }: Shared, filter: ResultFilter): Promise<{ status: number; text: string }> {
    const results = await this.reports.results(experimentId, filter, nowInSeconds());
    if (!results.hasResults) {
      throw new NoResultError();
    }
    return { status: 200, text: JSON.stringify(toResultEntries(results)) };
  }
}

/** The views of a link. */
@Injectable()
export class SharedViews {
  constructor(
    private readonly pages: SharePages,
    private readonly images: GoalImages,
    private readonly entries: SharedEntries,
  ) {}

  /** @throws ValidationError for an invalid filter */
  json(query: RawQuery): View {
    const filter = parseResultFilter(query);
    const view = `json${sharedQuery(filter)}`;
    return { kind: 'part', view, draw: (shared) => this.entries.draw(shared, filter) };
  }

  /** @param goal the single goal to show */
  page(query: RawQuery, goal?: number): View {
    const { filter } = readFilterForm(query);
    const view = filter === null ? null : `page ${goal ?? ''}${sharedQuery(filter)}`;
    return { kind: 'page', view, draw: (shared) => this.pages.show(shared, query, goal) };
  }

  /** @throws ValidationError for an invalid kind, size or filter */
  image(goal: number, query: RawQuery): View {
    const image = parseImageQuery(query);
    const { kind, size, filter } = image;
    const view = `image ${goal}${sharedQuery(filter, { kind, size })}`;
    const draw: View['draw'] = async (shared) => ({
      status: 200,
      text: await this.images.draw(shared, goal, image),
    });
    return { kind: 'part', view, draw };
  }
}
