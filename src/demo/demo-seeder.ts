import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/actor';
import type { ProjectScope } from '../access/scope';
import { CreateAudience } from '../audiences/audience.dto';
import { AudiencesService } from '../audiences/audiences.service';
import type { Created } from '../common/freshness/answers';
import { submit, Submission } from '../common/validation/submission';
import { Config } from '../config/config';
import { EnvironmentsService } from '../environments/environments.service';
import { ChangeStatus, CreateExperiment } from '../experiments/experiment.dto';
import type { ExperimentRecord } from '../experiments/experiment.record';
import { ExperimentStatusService } from '../experiments/experiment-status.service';
import { ExperimentsService } from '../experiments/experiments.service';
import { CreateGoal } from '../goals/goal.dto';
import { GoalsService } from '../goals/goals.service';
import { CreatePage } from '../pages/page.dto';
import { PagesService } from '../pages/pages.service';
import { DemoEvents } from './demo-events';
import { DemoExperiment, EXPERIMENTS } from './demo-experiments';
import { AUDIENCES, ENVIRONMENTS, GOALS, PAGES, SHOP_PATH } from './demo-items';

/** Ids of what was made, by name. */
type Ids = ReadonlyMap<string, number>;

interface ItemIds {
  audiences: Ids;
  pages: Ids;
  goals: Ids;
}

type Create<T extends object> = (
  scope: ProjectScope,
  submission: Submission<T>,
) => Promise<Created<{ id: number; name: string }>>;

function idOf(ids: Ids, name: string): number {
  const id = ids.get(name);
  if (id === undefined) {
    throw new Error(`The demo has nothing named ${name}.`);
  }
  return id;
}

/** Makes one record after another, so that they have their order. */
async function createAll<T extends object>(
  scope: ProjectScope,
  input: new () => T,
  bodies: readonly object[],
  create: Create<T>,
): Promise<Ids> {
  const ids = new Map<string, number>();
  for (const body of bodies) {
    const { record } = await create(scope, submit(input, null, body));
    ids.set(record.name, record.id);
  }
  return ids;
}

/** The same, seen as a request about one of the project's experiments. */
function aboutExperiment(scope: ProjectScope, id: number): ProjectScope {
  const target = { id, version: 1 };
  return { ...scope, items: { experiment: target }, target };
}

/** Fills a new project, by the same services and with the same checks as requests do. */
@Injectable()
export class DemoSeeder {
  constructor(
    private readonly environments: EnvironmentsService,
    private readonly audiences: AudiencesService,
    private readonly pages: PagesService,
    private readonly goals: GoalsService,
    private readonly experiments: ExperimentsService,
    private readonly statuses: ExperimentStatusService,
    private readonly events: DemoEvents,
    private readonly config: Config,
  ) {}

  /** @param actor in whose name requests would make all this */
  async fill(teamId: number, projectId: number, actor: Actor): Promise<void> {
    const target = { id: projectId, version: 1 };
    const scope: ProjectScope = { actor, ifMatch: null, teamId, role: 'admin', projectId, items: {}, target };
    for (const environment of ENVIRONMENTS) {
      await this.environments.create(projectId, environment, 'admin');
    }
    const ids = await this.createItems(scope);
    const experiments: ExperimentRecord[] = [];
    for (const experiment of EXPERIMENTS) {
      experiments.push(await this.createExperiment(scope, experiment, ids));
    }
    await this.events.fill(projectId, experiments);
  }

  private async createItems(scope: ProjectScope): Promise<ItemIds> {
    const audiences = await createAll(scope, CreateAudience, AUDIENCES, (...request) =>
      this.audiences.create(...request),
    );
    const pages = await createAll(scope, CreatePage, PAGES, (...request) => this.pages.create(...request));
    const goalBodies = GOALS.map(({ page, ...goal }) =>
      page === undefined ? goal : { ...goal, page_id: idOf(pages, page) },
    );
    const goals = await createAll(scope, CreateGoal, goalBodies, (...request) =>
      this.goals.create(...request),
    );
    return { audiences, pages, goals };
  }

  private async createExperiment(
    scope: ProjectScope,
    experiment: DemoExperiment,
    ids: ItemIds,
  ): Promise<ExperimentRecord> {
    const { fields, examplePath, variations, audiences, pages, goals, history } = experiment;
    const body = {
      ...fields,
      example_url: `${this.config.publicUrl}${SHOP_PATH}${examplePath}`,
      variations,
      audiences: audiences.map((name) => idOf(ids.audiences, name)),
      pages: pages.map((name) => idOf(ids.pages, name)),
      goals: goals.map((name) => idOf(ids.goals, name)),
    };
    const { record } = await this.experiments.create(scope, submit(CreateExperiment, null, body));
    for (const status of history) {
      await this.statuses.change(aboutExperiment(scope, record.id), submit(ChangeStatus, null, { status }));
    }
    return record;
  }
}
