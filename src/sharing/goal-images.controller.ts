import { createHash } from 'node:crypto';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../access/route-access';
import { parsePathId } from '../access/scope';
import { NotFoundError } from '../common/errors/api-errors';
import type { RawQuery } from '../common/lists/list-query';
import { NOT_INDEXED } from '../presentation/page-answer';
import { withoutEmptyFields } from './filter-form';
import { GoalImages } from './goal-images';
import { Shares } from './shares';

const FILE = /^(\d+)\.svg$/;

/** Pages of any site may show the image, which has its own style and runs nothing. */
const IMAGE_HEADERS = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-cache',
} as const;

/** The plots of a shared experiment by address, for wikis and mails. */
@Public()
@ApiExcludeController()
@Controller('share')
export class GoalImagesController {
  constructor(
    private readonly shares: Shares,
    private readonly images: GoalImages,
  ) {}

  @Get(':token/goals/:file')
  async show(
    @Param('token') token: string,
    @Param('file') file: string,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    reply.headers(NOT_INDEXED);
    const shared = await this.shares.find(token);
    const goalId = parsePathId(FILE.exec(file)?.[1] ?? '');
    if (shared === null || goalId === null) {
      throw new NotFoundError();
    }
    const image = await this.images.draw(shared, goalId, withoutEmptyFields(query));
    if (image === null) {
      throw new NotFoundError();
    }
    const etag = `"${createHash('sha256').update(image).digest('base64url')}"`;
    void reply.headers({ ...IMAGE_HEADERS, etag }).send(image);
  }
}
