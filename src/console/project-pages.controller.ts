import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccountPages } from '../account/account-pages';
import { PageController } from '../account/page-controller';
import { InSession } from '../account/session.guard';
import { firstValue, type RawQuery } from '../common/lists/list-query';
import { Config } from '../config/config';
import { OUTCOMES } from '../events/recent/outcomes';
import { RecentEventsService } from '../events/recent/recent-events.service';
import { experimentPath } from '../experiments/experiment.store';
import { PlanningService } from '../experiments/planning/planning.service';
import type { SignedInUser } from '../platform/access/actor';
import { InProject, SignedIn } from '../platform/access/route-access';
import { InPlace, ProjectPlace } from '../platform/access/scope';
import { InstallationService } from '../projects/installation/installation.service';
import { ProjectsService } from '../projects/projects.service';
import { withoutEmptyFields } from '../sharing/filter';
import { renderCodePage } from './code/code-page';
import { Definitions } from './definitions/definitions';
import { renderDefinitionsPage } from './definitions/definitions-page';
import { ExperimentList } from './experiment-list';
import { ExperimentSubjects } from './experiment-subject';
import { ExperimentViews } from './experiment-view';
import { readListRequest } from './list-request';
import { noticeIn } from './notices';
import { renderExperimentPage } from './pages/experiment-page';
import { renderLiveEventsPage } from './pages/live-events-page';
import { renderPlanPage } from './pages/plan-page';
import { renderProjectPage } from './pages/project-page';
import { readPlan } from './plan-form';
import { ProjectSubjects } from './project-forms/project-subject';
import { ProjectPages } from './project-pages';

/** The read-only pages of a project. */
@SignedIn()
@InProject({ collection: 'experiments', items: [experimentPath] })
@PageController('projects/:project')
export class ProjectPagesController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly subjects: ProjectSubjects,
    private readonly list: ExperimentList,
    private readonly views: ExperimentViews,
    private readonly installation: InstallationService,
    private readonly planning: PlanningService,
    private readonly pages: AccountPages,
    private readonly config: Config,
  ) {}

  @Get('/')
  async showProject(
    @InSession() session: SignedInUser,
    @InPlace() place: ProjectPlace,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [{ record: project }, list, connection] = await Promise.all([
      this.projects.show(place),
      this.list.read(place.projectId, readListRequest(query)),
      this.installation.connection(place.projectId),
    ]);
    const { publicUrl } = this.config;
    const page = { project, role: place.role, publicUrl, notice: noticeIn(query), list, connection };
    this.pages.send(reply, 200, { session }, (frame) => renderProjectPage(frame, page));
  }

  @Get('plan/')
  async showPlan(
    @InSession() session: SignedInUser,
    @InPlace() place: ProjectPlace,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [{ record: project }, goals] = await Promise.all([
      this.projects.show(place),
      this.subjects.goals(place),
    ]);
    const read = await readPlan(this.planning, place.projectId, query, goals);
    const status = Object.keys(read.form.errors).length > 0 ? 422 : 200;
    this.pages.send(reply, status, { session }, (frame) =>
      renderPlanPage(frame, { project, goals, ...read }),
    );
  }

  @Get('experiments/:experiment/')
  async showExperiment(
    @InSession() session: SignedInUser,
    @InPlace() place: ProjectPlace,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const view = await this.views.read(place, withoutEmptyFields(query));
    const status = view.results.outcome === 'wrong filter' ? 422 : 200;
    const page = { ...view, notice: noticeIn(query) };
    this.pages.send(reply, status, { session }, (frame) => renderExperimentPage(frame, page));
  }
}

/** The page with the code of an experiment and its variations. */
@SignedIn()
@InProject({ collection: 'experiments', items: [experimentPath] })
@PageController('projects/:project/experiments/:experiment')
export class CodeController {
  constructor(
    private readonly subjects: ExperimentSubjects,
    private readonly pages: AccountPages,
  ) {}

  @Get('code/')
  async show(
    @InSession() session: SignedInUser,
    @InPlace() place: ProjectPlace,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const subject = await this.subjects.read(place);
    this.pages.send(reply, 200, { session }, (frame) => renderCodePage(frame, subject));
  }
}

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

/** The page with a project's latest messages. */
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
