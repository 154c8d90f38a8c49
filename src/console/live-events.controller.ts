import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../platform/access/actor';
import { InProject, SignedIn } from '../platform/access/route-access';
import { InPlace, ProjectPlace } from '../platform/access/scope';
import { AccountPages } from '../account/account-pages';
import { PageController } from '../account/page-controller';
import { InSession } from '../account/session.guard';
import { firstValue, type RawQuery } from '../common/lists/list-query';
import { RecentEventsService } from '../events/recent/recent-events.service';
import { OUTCOMES } from '../events/recent/outcomes';
import { ProjectsService } from '../projects/projects.service';
import { renderLiveEventsPage } from './pages/live-events-page';

/** The page with the last messages of a project. */
@SignedIn()
@InProject({ collection: 'record', items: [] })
@PageController('projects/:project')
export class LiveEventsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly events: RecentEventsService,
    private readonly pages: AccountPages,
  ) {}

  /** Users can edit URLs, so an unknown outcome is ignored. */
  @Get('live-events/')
  async show(
    @InSession() session: SignedInUser,
    @InPlace() place: ProjectPlace,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [{ record: project }, list] = await Promise.all([
      this.projects.show(place),
      this.events.read(place.projectId, { outcomes: null, since: null }),
    ]);
    const outcome = OUTCOMES.find((each) => each === firstValue(query, 'outcome')) ?? null;
    this.pages.send(reply, 200, { session }, (frame) =>
      renderLiveEventsPage(frame, { project, list, outcome }),
    );
  }
}
