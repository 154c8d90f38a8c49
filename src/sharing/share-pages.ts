import { Injectable } from '@nestjs/common';
import { ApiError, NotFoundError } from '../common/errors/api-errors';
import type { RawQuery } from '../common/lists/list-query';
import { Config, pathPrefix } from '../config/config';
import {
  renderBusyPage,
  renderNoResultsPage,
  renderNotFoundPage,
  renderTooManyPage,
  renderWrongFilterPage,
  type ShareSite,
} from './page/other-pages';
import { renderSharePage } from './page/share-page';
import { ShareModels } from './share-models';
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
   * if it is not attached to the experiment
   */
  async show(shared: Shared, query: RawQuery, goal?: number): Promise<Page> {
    const shareable = await this.models.read(shared, query, { only: goal });
    switch (shareable.outcome) {
      case 'no results':
        return { status: 200, text: renderNoResultsPage(shareable.standing, this.site) };
      case 'wrong filter':
        return { status: 422, text: renderWrongFilterPage(shareable.standing, shareable.form, this.site) };
      case 'results':
        if (goal !== undefined && !shareable.model.results.goals.some(({ id }) => id === goal)) {
          throw new NotFoundError();
        }
        return { status: 200, text: await renderSharePage(shareable.model, this.site, goal) };
    }
  }
}
