import { Injectable } from '@nestjs/common';
import type { RawQuery } from '../common/lists/list-query';
import { loadDrawing } from '../presentation/plots/drawing';
import { renderNoResultsPage, renderNotFoundPage, renderWrongFilterPage } from './page/other-pages';
import { renderSharePage } from './page/share-page';
import { ShareModels } from './share-models';
import type { Shared } from './shares';

export interface Page {
  status: number;
  text: string;
}

/** Makes the pages that people see under a share address. */
@Injectable()
export class SharePages {
  constructor(private readonly models: ShareModels) {}

  notFound(): Page {
    return { status: 404, text: renderNotFoundPage() };
  }

  /** The results under the filter of the query, or why there are none. */
  async show(shared: Shared, query: RawQuery): Promise<Page> {
    const shareable = await this.models.read(shared, query);
    switch (shareable.outcome) {
      case 'no results':
        return { status: 200, text: renderNoResultsPage(shareable.standing) };
      case 'wrong filter':
        return { status: 422, text: renderWrongFilterPage(shareable.standing, shareable.form) };
      case 'results':
        return { status: 200, text: renderSharePage(shareable.model, await loadDrawing()) };
    }
  }
}
