import { Injectable } from '@nestjs/common';
import { ApiError, NotFoundError } from '../common/errors/api-errors';
import type { RawQuery } from '../common/lists/list-query';
import { nowInSeconds } from '../common/time/clock';
import { Config, pathPrefix } from '../config/config';
import type { ResultFilter } from '../results/experiment-results';
import { parseResultFilter } from '../results/result-filter';
import { toResultEntries } from '../results/result.record';
import { ResultsReports } from '../results/results-report';
import { NoResultError } from '../results/results.service';
import { readFilterForm, sharedQuery } from './filter';
import { GoalImages, parseImageQuery } from './goal-plot';
import {
  renderBusyPage,
  renderNoResultsPage,
  renderNotFoundPage,
  renderSharePage,
  renderTooManyPage,
  renderWrongFilterPage,
  type ShareSite,
} from './page/share-page';
import { ShareModels } from './share-models';
import type { View } from './shared-answers';
import type { Shared } from './shares';

export interface Page {
  status: number;
  text: string;
}

const REFUSALS: Readonly<Record<number, (base: string) => string>> = {
  404: renderNotFoundPage,
  429: renderTooManyPage,
  503: renderBusyPage,
};

/** Renders the pages of share links. */
@Injectable()
export class SharePages {
  /** Prefix of the server's paths. */
  private readonly base: string;
  private readonly site: ShareSite;

  constructor(
    private readonly models: ShareModels,
    config: Config,
  ) {
    this.base = pathPrefix(config);
    this.site = { base: this.base, image: `${config.publicUrl}/assets/preview.png` };
  }

  /** The error page; null if there is no page for the error. */
  ofRefusal(error: unknown): (Page & Pick<ApiError, 'headers'>) | null {
    const render = error instanceof ApiError ? REFUSALS[error.status] : undefined;
    return error instanceof ApiError && render !== undefined
      ? { status: error.status, headers: error.headers, text: render(this.base) }
      : null;
  }

  /**
   * The filtered results, or the reason why there are none. @param goal the single goal to show @throws NotFoundError
   * if the goal is not attached to the experiment
   */
  async show(shared: Shared, query: RawQuery, goal?: number): Promise<Page> {
    const shareable = await this.models.read(shared, query, { only: goal });
    switch (shareable.outcome) {
      case 'no results':
        return { status: 200, text: renderNoResultsPage(shareable.header, this.site) };
      case 'wrong filter':
        return { status: 422, text: renderWrongFilterPage(shareable.header, shareable.form, this.site) };
      case 'results':
        if (goal !== undefined && !shareable.model.results.goals.some(({ id }) => id === goal)) {
          throw new NotFoundError();
        }
        return { status: 200, text: await renderSharePage(shareable.model, this.site, goal) };
    }
  }
}

/** The results of a shared experiment, in the API's format. */
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

/** The views that a link offers. */
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
    return { kind: 'part', view, render: (shared) => this.entries.draw(shared, filter) };
  }

  /** @param goal the single goal to show */
  page(query: RawQuery, goal?: number): View {
    const { filter } = readFilterForm(query);
    const view = filter === null ? null : `page ${goal ?? ''}${sharedQuery(filter)}`;
    return { kind: 'page', view, render: (shared) => this.pages.show(shared, query, goal) };
  }

  /** @throws ValidationError for an invalid kind, size or filter */
  image(goal: number, query: RawQuery): View {
    const image = parseImageQuery(query);
    const { kind, size, filter } = image;
    const view = `image ${goal}${sharedQuery(filter, { kind, size })}`;
    const render: View['render'] = async (shared) => ({
      status: 200,
      text: await this.images.draw(shared, goal, image),
    });
    return { kind: 'part', view, render };
  }
}
