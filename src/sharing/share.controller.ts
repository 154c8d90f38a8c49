import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../access/route-access';
import { NotFoundError } from '../common/errors/api-errors';
import type { RawQuery } from '../common/lists/list-query';
import { prefersJson } from '../presentation/media-types';
import { NOT_INDEXED, sendPage } from '../presentation/page-answer';
import { parseResultFilter } from '../results/result-filter';
import { ResultEntry, toResultEntries } from '../results/result.record';
import { NoResultError, ResultsService } from '../results/results.service';
import { withoutEmptyFields } from './filter-form';
import { SharePages } from './share-pages';
import { Shared, Shares } from './shares';

/** The results of an experiment for whoever has its share address: as a page, or as the JSON of the API. */
@Public()
@ApiExcludeController()
@Controller('share')
export class ShareController {
  constructor(
    private readonly shares: Shares,
    private readonly pages: SharePages,
    private readonly results: ResultsService,
  ) {}

  @Get(':token')
  async show(
    @Param('token') token: string,
    @Query() given: RawQuery,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    reply.headers({ ...NOT_INDEXED, vary: 'Accept' });
    const shared = await this.shares.find(token);
    const query = withoutEmptyFields(given);
    if (prefersJson(accept)) {
      void reply.send(await this.entries(shared, query));
      return;
    }
    const { status, text } = shared === null ? this.pages.notFound() : await this.pages.show(shared, query);
    sendPage(reply, status, text);
  }

  private async entries(shared: Shared | null, query: RawQuery): Promise<ResultEntry[]> {
    if (shared === null) {
      throw new NotFoundError();
    }
    const results = await this.results.read(shared.experimentId, parseResultFilter(query));
    if (!results.hasResults) {
      throw new NoResultError();
    }
    return toResultEntries(results);
  }
}
