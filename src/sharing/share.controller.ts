import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../platform/access/route-access';
import { NotFoundError } from '../common/errors/api-errors';
import type { RawQuery } from '../common/lists/list-query';
import { idOf } from '../common/validation/values';
import { prefersJson } from '../presentation/media-types';
import { NOT_INDEXED, PAGE_HEADERS, sendPage } from '../presentation/page-answer';
import { withoutEmptyFields } from './filter';
import { SharePages, SharedViews } from './shared-views';
import { SharedAnswers, View } from './shared-answers';

const VARIES = { ...NOT_INDEXED, vary: 'Accept, Accept-Encoding' } as const;
const JSON_HEADERS = { ...VARIES, 'content-type': 'application/json; charset=utf-8' };
const SHARED_PAGE_HEADERS = { ...VARIES, ...PAGE_HEADERS };
/** Any site may embed the image, because it has its own styles and contains no scripts. */
const IMAGE_HEADERS = {
  ...NOT_INDEXED,
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-cache',
  vary: 'Accept-Encoding',
} as const;

const IMAGE = /^(\d+)\.svg$/;
const GOAL = /^\d+$/;

/** The shared results of an experiment as a page and as JSON, and those for each goal as a page and as images. */
@Public()
@ApiExcludeController()
@Controller('share')
export class ShareController {
  constructor(
    private readonly answers: SharedAnswers,
    private readonly pages: SharePages,
    private readonly views: SharedViews,
  ) {}

  @Get(':token')
  async show(
    @Param('token') token: string,
    @Query() given: RawQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const query = withoutEmptyFields(given);
    if (prefersJson(request.headers.accept)) {
      reply.headers(VARIES);
      await this.answers.answer({ request, reply, token, headers: JSON_HEADERS }, () =>
        this.views.json(query),
      );
      return;
    }
    await this.showPage({ request, reply, token }, () => this.views.page(query));
  }

  /** `7.svg` is the plot for a goal, and `7` is its page. */
  @Get(':token/goals/:file')
  async showGoal(
    @Param('token') token: string,
    @Param('file') file: string,
    @Query() given: RawQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const query = withoutEmptyFields(given);
    if (GOAL.test(file) && !prefersJson(request.headers.accept)) {
      await this.showPage({ request, reply, token }, () => this.views.page(query, goalIn(file)));
      return;
    }
    reply.headers(NOT_INDEXED);
    await this.answers.answer({ request, reply, token, headers: IMAGE_HEADERS }, () =>
      this.views.image(goalIn(IMAGE.exec(file)?.[1]), query),
    );
  }

  /** Shows page errors as HTML pages. */
  private async showPage(
    asked: { request: FastifyRequest; reply: FastifyReply; token: string },
    view: () => View,
  ): Promise<void> {
    asked.reply.headers(VARIES);
    try {
      await this.answers.answer({ ...asked, headers: SHARED_PAGE_HEADERS }, view);
    } catch (error) {
      const page = this.pages.ofRefusal(error);
      if (page === null) {
        throw error;
      }
      asked.reply.headers(page.headers);
      sendPage(asked.reply, page.status, page.text);
    }
  }
}

/** @throws NotFoundError if the text is not an id */
function goalIn(text: string | undefined): number {
  const id = idOf(text ?? '');
  if (id === null) {
    throw new NotFoundError();
  }
  return id;
}
