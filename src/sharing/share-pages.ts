import { Injectable } from '@nestjs/common';
import { ApiError, NotFoundError } from '../common/errors/api-errors';
import type { RawQuery } from '../common/lists/list-query';
import {
  renderBusyPage,
  renderNoResultsPage,
  renderNotFoundPage,
  renderTooManyPage,
  renderWrongFilterPage,
} from './page/other-pages';
import { renderSharePage } from './page/share-page';
import { ShareModels } from './share-models';
import type { Shared } from './shares';

export interface Page {
  status: number;
  text: string;
}

const REFUSALS: Readonly<Record<number, () => string>> = {
  404: renderNotFoundPage,
  429: renderTooManyPage,
  503: renderBusyPage,
};

/** Renders the pages of share links. */
@Injectable()
export class SharePages {
  constructor(private readonly models: ShareModels) {}

  /** The error page; null if there is no page for the error. */
  ofRefusal(error: unknown): (Page & Pick<ApiError, 'headers'>) | null {
    const render = error instanceof ApiError ? REFUSALS[error.status] : undefined;
    return error instanceof ApiError && render !== undefined
      ? { status: error.status, headers: error.headers, text: render() }
      : null;
  }

  /**
   * The filtered results, or the reason why there are none. @param goal the single goal to show @throws NotFoundError
   * if it is not attached to the experiment
   */
  async show(shared: Shared, query: RawQuery, goal?: number): Promise<Page> {
    const shareable = await this.models.read(shared, query, goal);
    switch (shareable.outcome) {
      case 'no results':
        return { status: 200, text: renderNoResultsPage(shareable.standing) };
      case 'wrong filter':
        return { status: 422, text: renderWrongFilterPage(shareable.standing, shareable.form) };
      case 'results':
        if (goal !== undefined && !shareable.model.results.goals.some(({ id }) => id === goal)) {
          throw new NotFoundError();
        }
        return { status: 200, text: await renderSharePage(shareable.model, goal) };
    }
  }
}
