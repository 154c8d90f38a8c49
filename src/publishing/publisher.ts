import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { found } from '../common/errors/api-errors';
import { groupBy } from '../common/lists/collections';
import { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import { liveRanges } from '../experiments/exclusion/exclusion-claims';
import { groupMembers } from '../experiments/exclusion/exclusion-range.store';
import { ExperimentPublisher, PublishingWork } from '../experiments/experiment-publisher';
import { ProjectWrite, ProjectWriter, WriteScope } from '../projects/project-writer';
import { Outbox } from '../webhooks/outbox';
import { codeFailures } from './build/publication-content';
import { SerialQueues } from '../common/concurrency';
import type { LiveDefinitions, LiveExclusion } from './definitions';
import { PublicationBuilder } from './publication-builder';
import { PublicationPlan, PublicationPlans } from './publication-plans';
import { BuiltPublication, PublicationStore } from './publication.store';
import { beginPhases, withPhases } from './phases';

/** The number of attempts that can fail because of concurrent changes before the project is locked for the build. */
const FREE_ATTEMPTS = 3;

type Plan = (manager: EntityManager) => Promise<PublicationPlan | null>;

/** A change to a project together with its publication. */
interface Change<T> {
  scope: WriteScope;
  submission: Submission<object> | null;
  plan: Plan;
  work: PublishingWork<T>;
}

/** A publication that has been built but not stored yet. */
interface Prepared {
  /** The project version from which the publication was built. */
  version: number;
  /** Null if there is nothing to publish. */
  plan: PublicationPlan | null;
  /** Null if there is nothing to publish, or if the plan cannot be published. */
  built: BuiltPublication | null;
}

/** Thrown if the project has changed since the publication was built. */
class OutdatedError extends Error {}

function requireOutdated(error: unknown): void {
  if (!(error instanceof OutdatedError)) {
    throw error;
  }
}

/**
 * Publishes: builds the content, stores it as a new revision, and increments the project's revision. Building takes
 * seconds for large projects, and a transaction blocks other writers (on SQLite, all of them), so the build runs before
 * the transaction that stores it (optimistic locking). Each write in a project increments the project's version, so
 * data read between two reads of the same version is consistent. The version is read before the definitions, and again
 * in the transaction, which locks it.
 */
@Injectable()
export class Publisher implements ExperimentPublisher {
  private readonly queues = new SerialQueues();

  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly plans: PublicationPlans,
    private readonly builder: PublicationBuilder,
    private readonly store: PublicationStore,
    private readonly outbox: Outbox,
  ) {}

  starting<T>(
    scope: WriteScope,
    submission: Submission<object> | null,
    experimentId: number,
    work: PublishingWork<T>,
  ): Promise<T> {
    const plan: Plan = (manager) => this.plans.starting(manager, scope.projectId, experimentId);
    return this.change({ scope, submission, plan, work });
  }

  stopping<T>(
    scope: WriteScope,
    submission: Submission<object> | null,
    experimentId: number,
    work: PublishingWork<T>,
  ): Promise<T> {
    const plan: Plan = (manager) => this.plans.stopping(manager, scope.projectId, experimentId);
    return this.change({ scope, submission, plan, work });
  }

  /** Publishes all running experiments in their current state. */
  publishing<T>(
    scope: WriteScope,
    submission: Submission<object> | null,
    work: PublishingWork<T>,
  ): Promise<T> {
    const plan: Plan = (manager) => this.plans.whole(manager, scope.projectId);
    return this.change({ scope, submission, plan, work });
  }

  /**
   * Makes the content of an earlier revision live again, as a new revision, except for experiments that are not
   * running.
   * @throws NotFoundError if there is no such revision
   */
  rollingBack<T>(
    scope: WriteScope,
    submission: Submission<object> | null,
    revision: number,
    work: PublishingWork<T>,
  ): Promise<T> {
    const plan: Plan = (manager) => this.plans.earlier(manager, scope.projectId, revision);
    return this.change({ scope, submission, plan, work });
  }

  /**
   * The publication that would be stored now.
   * @param revision the revision to roll back to; null to publish the current definitions
   * @throws NotFoundError if there is no such revision
   */
  rehearsed(projectId: number, revision: number | null): Promise<Prepared> {
    const plan: Plan = (manager) =>
      revision === null
        ? this.plans.whole(manager, projectId)
        : this.plans.earlier(manager, projectId, revision);
    return this.prepare(this.database.read, projectId, plan);
  }

  /**
   * Publishes, and retries after a conflict. Retries run one at a time in this process, because each publication makes
   * all other builds outdated.
   */
  private async change<T>(change: Change<T>): Promise<T> {
    if (this.database.isTogether) {
      return this.locked(change);
    }
    try {
      return await this.attempt(change);
    } catch (error) {
      requireOutdated(error);
      return this.queues.run(change.scope.projectId, () => this.again(change));
    }
  }

  private async again<T>(change: Change<T>): Promise<T> {
    for (let attempt = 2; attempt <= FREE_ATTEMPTS; attempt += 1) {
      try {
        return await this.attempt(change);
      } catch (error) {
        requireOutdated(error);
      }
    }
    return this.locked(change);
  }

  /** @throws OutdatedError if the project was changed after the build */
  private async attempt<T>({ scope, submission, plan, work }: Change<T>): Promise<T> {
    const prepared = await this.prepare(this.database.read, scope.projectId, plan);
    return this.writer.change(scope, submission, (write) => work(write, () => this.add(write, prepared)));
  }

  /** Builds while the project is locked, so the publication cannot become outdated. */
  private locked<T>({ scope, submission, plan, work }: Change<T>): Promise<T> {
    return this.writer.change(scope, submission, async (write) => {
      const prepared = await this.prepare(write.tx, scope.projectId, plan);
      return work(write, () => this.add(write, prepared));
    });
  }

  private async prepare(manager: EntityManager, projectId: number, plan: Plan): Promise<Prepared> {
    const project = found(await this.store.project(manager, projectId));
    const { version, clientKey } = project;
    const planned = await plan(manager);
    if (planned === null) {
      return { version, plan: null, built: null };
    }
    const phased = await withPhases(manager, projectId, planned.definitions);
    const definitions = await withExclusion(manager, projectId, phased);
    const isSame = isDeepStrictEqual(definitions, planned.definitions);
    const known = isSame && planned.built && this.builder.isForHere(planned.built) ? planned.built : null;
    const numbered = { ...planned, definitions };
    return { version, plan: numbered, built: known ?? (await this.build(numbered, clientKey)) };
  }

  /**
   * Builds the publication. If the publication cannot be built, the result is null and the plan contains the failures.
   */
  private async build(
    { definitions, failures }: PublicationPlan,
    clientKey: string,
  ): Promise<BuiltPublication | null> {
    if (!failures.any) {
      failures.addEach(new Failures(await codeFailures(definitions)));
    }
    return failures.any ? null : this.builder.build(definitions, clientKey);
  }

  /** Adds a revision, unless the same content is already live. */
  private async add(write: ProjectWrite, { version, plan, built }: Prepared): Promise<boolean> {
    const { tx, projectId } = write;
    if (write.version !== version) {
      throw new OutdatedError();
    }
    if (plan !== null) {
      write.failures.addEach(plan.failures);
    }
    write.failures.throwIfAny();
    const latest = await this.store.latest(tx, projectId);
    if (plan === null || built === null || latest?.digest === built.row.digest) {
      return false;
    }
    await this.insert(write, plan, built, latest?.revision ?? 0);
    return true;
  }

  private async insert(
    write: ProjectWrite,
    { reason, source, definitions }: PublicationPlan,
    { row, parts }: BuiltPublication,
    before: number,
  ): Promise<void> {
    const { tx, projectId, author, now } = write;
    const revision = await this.store.nextRevision(tx, projectId, before);
    const { userId = null, tokenId = null } = typeof author === 'string' ? {} : author;
    const place = { project_id: projectId, revision, reason, source_revision: source };
    const automation = author === 'schedule' || author === 'guardrail' ? author : null;
    const by = { user_id: userId, token_id: tokenId, automation, created_at: now };
    await this.store.insert(tx, { ...row, ...place, ...by }, parts);
    await this.store.setCurrent(tx, projectId, revision, now);
    await beginPhases(tx, projectId, definitions, now);
    write.changed('record', {
      action: 'publish',
      itemType: 'project',
      itemId: projectId,
      before: { snippet_revision: before },
      after: { snippet_revision: revision },
    });
    const data = { revision, previous_revision: before === 0 ? null : before, reason };
    await this.outbox.record(tx, { type: 'project.published', projectId, data }, now);
  }
}

/**
 * Adds each experiment's current part of its exclusion group. The parts in an earlier publication are not reused, so no
 * two experiments in a publication get the same visitors.
 */
async function withExclusion(
  manager: EntityManager,
  projectId: number,
  definitions: LiveDefinitions,
): Promise<LiveDefinitions> {
  const live = new Set(definitions.experiments.map(({ id }) => id));
  const members = (await groupMembers(manager, projectId)).filter(({ id }) => live.has(id));
  const parts = new Map<number, LiveExclusion>();
  for (const [group, own] of groupBy(members, (member) => member.exclusion_group_id)) {
    for (const [id, ranges] of await liveRanges(manager, group, own)) {
      parts.set(id, { group, ranges });
    }
  }
  const experiments = definitions.experiments.map(({ exclusion: _, ...experiment }) => {
    const exclusion = parts.get(experiment.id);
    return exclusion === undefined ? experiment : { ...experiment, exclusion };
  });
  return { ...definitions, experiments };
}
