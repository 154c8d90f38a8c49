import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { PageController } from '../../account/page-controller';
import { firstNumber, type RawQuery } from '../../common/lists/list-query';
import { readPage } from '../../common/lists/pagination';
import {
  DEFAULT_PUBLICATIONS,
  PublicationHistory,
} from '../../publishing/changes/publication-history.service';
import { ProjectPages } from '../project-pages';
import { renderPublicationsPage } from './publications-page';

const PER_PAGE = DEFAULT_PUBLICATIONS;

/** The page with a project's publications. */
@SignedIn()
@InProject({ collection: 'record', items: [] })
@PageController('projects/:project')
export class PublicationPagesController {
  constructor(
    private readonly history: PublicationHistory,
    private readonly pages: ProjectPages,
  ) {}

  @Get('publications/')
  list(@InPlace() place: ProjectPlace, @Query() query: RawQuery, @Res() reply: FastifyReply): Promise<void> {
    const content = readPage(firstNumber(query, 'page') ?? 1, PER_PAGE, (number) =>
      this.history.list(place.projectId, { number, perPage: PER_PAGE }),
    );
    return this.pages.send(reply, place, content, renderPublicationsPage);
  }
}
