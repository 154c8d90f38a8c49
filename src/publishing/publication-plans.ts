import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { NotFoundError } from '../common/errors/api-errors';
import type { Failure } from '../common/validation/failure';
import { Failures } from '../common/validation/failures';
import type { LiveDefinitions } from './definitions';
import { DefinitionsStore } from './definitions.store';
import { movedDefinitions } from './moved-definitions';
import { BuiltPublication, PublicationStore } from './publication.store';
import type { PublicationReason } from './publication.entity';

/** What is to be live next. */
export interface PublicationPlan {
  reason: PublicationReason;
  /** The earlier revision that is made live again. */
  source: number | null;
  definitions: LiveDefinitions;
  /** What the definitions were built into before; null when they have to be built. */
  built: BuiltPublication | null;
  /** Why it cannot be published. */
  failures: Failures;
}

/** Reads what is to be live next, as the definitions are now. Null where nothing has to be published. */
@Injectable()
export class PublicationPlans {
  constructor(
    private readonly definitions: DefinitionsStore,
    private readonly store: PublicationStore,
  ) {}

  /** An experiment that is about to start goes live at once, alone. */
  async starting(
    manager: EntityManager,
    projectId: number,
    experimentId: number,
  ): Promise<PublicationPlan | null> {
    if (await this.definitions.isRunning(manager, experimentId)) {
      return null;
    }
    const failures = new Failures();
    const published = await this.store.latestDefinitions(manager, projectId);
    const present = await this.definitions.single(manager, projectId, experimentId, failures);
    const definitions = movedDefinitions(published, present, experimentId);
    failures.addEach(new Failures(nameFailures(definitions, experimentId)));
    return { reason: 'status', source: null, definitions, built: null, failures };
  }

  /** An experiment that runs and is about to stop goes off, alone, if it is live. */
  async stopping(
    manager: EntityManager,
    projectId: number,
    experimentId: number,
  ): Promise<PublicationPlan | null> {
    if (!(await this.definitions.isRunning(manager, experimentId))) {
      return null;
    }
    const published = await this.store.latestDefinitions(manager, projectId);
    if (!published?.experiments.some(({ id }) => id === experimentId)) {
      return null;
    }
    const present = await this.definitions.empty(manager, projectId);
    const definitions = movedDefinitions(published, present, experimentId);
    return { reason: 'status', source: null, definitions, built: null, failures: new Failures() };
  }

  /** All running experiments, as they are defined now. */
  async whole(manager: EntityManager, projectId: number): Promise<PublicationPlan> {
    const failures = new Failures();
    const definitions = await this.definitions.running(manager, projectId, failures);
    return { reason: 'publish', source: null, definitions, built: null, failures };
  }

  /**
   * What an earlier revision was, except for experiments that are not running.
   * @throws NotFoundError when the project has no such revision
   */
  async earlier(manager: EntityManager, projectId: number, revision: number): Promise<PublicationPlan> {
    const row = await this.store.find(manager, projectId, revision);
    if (row === null) {
      throw new NotFoundError();
    }
    const definitions = await this.store.definitions(manager, row);
    const running = new Set(await this.definitions.runningIds(manager, projectId));
    const experiments = definitions.experiments.filter(({ id }) => running.has(id));
    const isWhole = experiments.length === definitions.experiments.length;
    return {
      reason: 'rollback',
      source: revision,
      definitions: { ...definitions, experiments },
      built: isWhole ? { row, parts: await this.store.parts(manager, projectId, revision) } : null,
      failures: new Failures(),
    };
  }
}

/** What is live may have an experiment under the name that it had when it was published. */
function nameFailures({ experiments }: LiveDefinitions, experimentId: number): Failure[] {
  const moved = experiments.find(({ id }) => id === experimentId);
  return experiments
    .filter(({ id, api_name }) => id !== experimentId && api_name === moved?.api_name)
    .map(({ id, api_name }) => ({
      path: 'api_name',
      message: `The experiment ${id} is still live under the name ${api_name}. Publish the project first.`,
    }));
}
