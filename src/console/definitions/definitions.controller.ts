import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { PageController } from '../../account/page-controller';
import type { RawQuery } from '../../common/lists/list-query';
import { ProjectPages } from '../project-pages';
import { Definitions } from './definitions';
import { renderDefinitionsPage } from './definitions-page';

/** The page with a project's goals, pages, audiences, exclusion groups and environments. */
@SignedIn()
@InProject({ collection: 'record', items: [] })
@PageController('projects/:project')
export class DefinitionsController {
  constructor(
    private readonly definitions: Definitions,
    private readonly pages: ProjectPages,
  ) {}

  @Get('definitions/')
  show(@InPlace() place: ProjectPlace, @Query() query: RawQuery, @Res() reply: FastifyReply): Promise<void> {
    const content = this.definitions.read(place, query).then((list) => ({ list }));
    return this.pages.send(reply, place, content, renderDefinitionsPage);
  }
}
