import { Injectable } from '@nestjs/common';
import type { Actor } from '../platform/access/actor';
import type { ProjectScope } from '../platform/access/scope';
import { submit } from '../common/validation/submission';
import { Config } from '../config/config';
import { EnvironmentsService } from '../resources/environments/environments.service';
import { ChangeStatus, CreateExperiment } from '../experiments/experiment.dto';
import type { ExperimentRecord } from '../experiments/experiment.record';
import { ExperimentStatusService } from '../experiments/experiment-status.service';
import { ExperimentsService } from '../experiments/experiments.service';
import { ResourceItems, RESOURCES } from '../resources/registry';
import { DemoEvents } from './demo-events';
import { DemoExperiment, EXPERIMENTS } from './demo-experiments';
import { demoBodies, ENVIRONMENTS, idOf, Ids, shopUrl } from './demo-items';

/** The scope of a request for one of the project's experiments. */
function aboutExperiment(scope: ProjectScope, id: number): ProjectScope {
  const target = { id, version: 1 };
  return { ...scope, items: { experiment: target }, target };
}

/** Fills a new project, using the services and checks of API requests. */
@Injectable()
export class DemoSeeder {
  constructor(
    private readonly environments: EnvironmentsService,
    private readonly items: ResourceItems,
    private readonly experiments: ExperimentsService,
    private readonly statuses: ExperimentStatusService,
    private readonly events: DemoEvents,
    private readonly config: Config,
  ) {}

  /** @param actor the user of the simulated requests */
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

  /** Creates records one after another, so their order is fixed. */
  private async createItems(scope: ProjectScope): Promise<Ids> {
    const ids: Ids = {};
    for (const resource of RESOURCES) {
      const { collection, writes } = resource;
      const own: Record<string, number> = {};
      ids[collection] = own;
      if (writes === undefined) {
        continue;
      }
      for (const body of demoBodies(collection, writes.create, ids)) {
        const { record } = await this.items.of(resource).create(scope, submit(writes.create, null, body));
        own[record.name] = record.id;
      }
    }
    return ids;
  }

  private async createExperiment(
    scope: ProjectScope,
    experiment: DemoExperiment,
    ids: Ids,
  ): Promise<ExperimentRecord> {
    const { fields, examplePath, variations, audiences, pages, goals, history } = experiment;
    const body = {
      ...fields,
      example_url: `${shopUrl(this.config)}${examplePath}`,
      variations,
      audiences: audiences.map((name) => idOf(ids, 'audiences', name)),
      pages: pages.map((name) => idOf(ids, 'pages', name)),
      goals: goals.map((name) => idOf(ids, 'goals', name)),
    };
    const { record } = await this.experiments.create(scope, submit(CreateExperiment, null, body));
    for (const status of history) {
      await this.statuses.change(aboutExperiment(scope, record.id), submit(ChangeStatus, null, { status }));
    }
    return record;
  }
}
