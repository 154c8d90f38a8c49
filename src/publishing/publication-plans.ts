import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Failure, found } from '../common/errors/api-errors';
import { Failures } from '../common/validation/failures';
import type { LiveDefinitions, LiveEnvironment, LiveExperiment } from './definitions';
import { DefinitionsStore } from './definitions.store';
import { BuiltPublication, PublicationStore } from './publication.store';
import type { PublicationReason } from './publication.entity';

/** The next publication. */
export interface PublicationPlan {
  reason: PublicationReason;
  /** The earlier revision of a rollback. */
  source: number | null;
  definitions: LiveDefinitions;
  /** The existing build of the definitions; null if they still have to be built. */
  built: BuiltPublication | null;
  /** The reasons why the publication is not possible. */
  failures: Failures;
}

/** Plans the next publication from the current definitions. A plan is null if there is nothing to publish. */
@Injectable()
export class PublicationPlans {
  constructor(
    private readonly definitions: DefinitionsStore,
    private readonly store: PublicationStore,
  ) {}

  /** The publication plan that adds an experiment about to start. Null if the experiment is already running. */
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
    failures.addEach(new Failures(nameFailures(definitions, present)));
    return { reason: 'status', source: null, definitions, built: null, failures };
  }

  /**
   * The publication plan that removes an experiment about to stop. Null if the experiment is not running or not live.
   */
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

  /** The publication plan for all running experiments with their current definitions. */
  async whole(manager: EntityManager, projectId: number): Promise<PublicationPlan> {
    const failures = new Failures();
    const definitions = await this.definitions.running(manager, projectId, failures);
    return { reason: 'publish', source: null, definitions, built: null, failures };
  }

  /**
   * The publication plan for the content of an earlier revision, except for experiments that are not running.
   * Environments that were added since then stay live, without experiments of that revision. The plan has failures if
   * variations in the revision have been deleted since.
   * @throws NotFoundError if the project has no such revision
   */
  async earlier(manager: EntityManager, projectId: number, revision: number): Promise<PublicationPlan> {
    const row = found(await this.store.find(manager, projectId, revision));
    const definitions = await this.store.definitions(manager, row);
    const running = new Set(await this.definitions.runningIds(manager, projectId));
    const experiments = definitions.experiments.filter(({ id }) => running.has(id));
    const variations = await this.definitions.runningVariations(manager, projectId);
    const { environments: present } = await this.definitions.empty(manager, projectId);
    const environments = withNewEnvironments(definitions.environments, present);
    const isWhole =
      experiments.length === definitions.experiments.length &&
      environments.length === definitions.environments.length;
    return {
      reason: 'rollback',
      source: revision,
      definitions: { ...definitions, environments, experiments },
      built: isWhole ? { row, parts: await this.store.parts(manager, projectId, revision) } : null,
      failures: new Failures(experiments.flatMap((each) => deletionFailures(each, variations))),
    };
  }
}

/**
 * Reports deleted variations, because their exposures would be rejected.
 * @param existing ids of the variations that still exist
 */
const deletionFailures = ({ id, variations }: LiveExperiment, existing: ReadonlySet<number>): Failure[] =>
  variations
    .filter((variation) => !existing.has(variation.id))
    .map((variation) => ({
      path: `experiments.${id}.variations`,
      message: `The variation ${variation.id} of the experiment ${id} has been deleted, so its visitors cannot be counted.`,
    }));

/**
 * Reports `api_name` conflicts. A live experiment, environment or click goal may still have the name that it had when
 * it was published.
 * @param present the experiment that is about to start, and the current environments
 */
function nameFailures({ environments, experiments }: LiveDefinitions, present: LiveDefinitions): Failure[] {
  return present.experiments.flatMap((moved) => {
    const others = experiments.filter(({ id }) => id !== moved.id);
    const live = new Set(environments.map(({ id }) => id));
    const added = present.environments.filter(({ id }) => moved.environments.includes(id) && !live.has(id));
    const clicks = others.flatMap(({ goals }) => goals.filter(({ type }) => type === 'click'));
    return [
      ...namesakes('api_name', 'experiment', [moved], others),
      ...namesakes('environments', 'environment', added, environments),
      ...namesakes('goals', 'goal', moved.goals, clicks),
    ];
  });
}

interface Named {
  id: number;
  api_name: string;
}

/** A failure for each live record that has the same `api_name` as one of `records` but a different id. */
function namesakes(path: string, noun: string, records: readonly Named[], live: readonly Named[]): Failure[] {
  const named = live.filter(({ id, api_name }) =>
    records.some((record) => record.api_name === api_name && record.id !== id),
  );
  return [...new Map(named.map((each) => [each.id, each])).values()].map(({ id, api_name }) => ({
    path,
    message: `The ${noun} ${id} is still live under the name ${api_name}. Publish the project first.`,
  }));
}

/**
 * The live definitions after one experiment has changed its status and has been removed or added with its current
 * definition. All other experiments and the published environments stay the same, and new environments are added.
 * @param published the live definitions; null if nothing was published
 * @param present the project's current definitions: only the experiment that goes live, or no experiments if it stops
 */
export function movedDefinitions(
  published: LiveDefinitions | null,
  present: LiveDefinitions,
  experimentId: number,
): LiveDefinitions {
  const { environments, experiments } = published ?? { environments: [], experiments: [] };
  const others = experiments.filter(({ id }) => id !== experimentId);
  return {
    storage: present.storage,
    push_to: present.push_to,
    environments: withNewEnvironments(environments, present.environments),
    experiments: byId([...others, ...present.experiments]),
  };
}

/**
 * The published environments and the new ones, because SDKs that request an environment fail if it is not live. A new
 * environment is omitted as long as a published one has its `api_name`. The default environment stays the same.
 */
function withNewEnvironments(
  published: readonly LiveEnvironment[],
  present: readonly LiveEnvironment[],
): LiveEnvironment[] {
  const known = new Set(published.map(({ id }) => id));
  const taken = new Set(published.map(({ api_name }) => api_name));
  const hasDefault = published.some(({ is_default }) => is_default);
  const added = present
    .filter(({ id, api_name }) => !known.has(id) && !taken.has(api_name))
    .map((each) => ({ ...each, is_default: each.is_default && !hasDefault }));
  return byId([...published, ...added]);
}

const byId = <Item extends { id: number }>(items: readonly Item[]): Item[] =>
  [...items].sort((a, b) => a.id - b.id);
