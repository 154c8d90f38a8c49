import { Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { PageController } from '../../account/page-controller';
import type { RawQuery } from '../../common/lists/list-query';
import { experimentPath } from '../../experiments/experiment.store';
import { ApiCalls } from '../forms/api-calls';
import { errorOf } from '../forms/console-forms';
import { seriesCall } from './downloads-card';

/** The response headers that a download keeps. */
const KEPT_HEADERS = ['content-type', 'content-disposition'] as const;

/** A goal's figures as a file, for users without an API token. */
@SignedIn('goal')
@InProject({ collection: 'experiments', items: [experimentPath] })
@PageController('projects/:project/experiments/:experiment')
export class DownloadsController {
  constructor(private readonly api: ApiCalls) {}

  @Get('goals/:goal/series/')
  async series(
    @InPlace() { projectId, target }: ProjectPlace,
    @Param('goal') goal: string,
    @Query() query: RawQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const call = seriesCall({ projectId, experimentId: target.id, goal }, query);
    const { status, headers, text } = await this.api.read(request, call);
    if (status !== 200) {
      throw errorOf({ status, headers, body: JSON.parse(text) });
    }
    const kept = KEPT_HEADERS.map((name) => [name, headers[name] ?? ''] as const);
    await reply.headers({ ...Object.fromEntries(kept), 'cache-control': 'no-store' }).send(text);
  }
}
