import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../common/errors/api-errors';
import { formatMicros, Micros, nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { moveStart } from '../../experiments/experiment-run.store';
import { ProjectVersionsStore } from '../../projects/project-versions.store';
import { ProjectWriter } from '../../projects/project-writer';
import { startOf } from '../counting-rules';
import { type Definitions, DefinitionsChangedError, untilUnchanged } from '../definitions';
import { DefinitionStore } from '../definitions.store';
import { DeletionCheck } from '../deletions/deleted-visitors.store';
import { EventLog } from '../event-log';
import { linkIn, type Outcome, type Receipt, type ResolvedEvent, withIgnoredLinks } from '../message-outcome';
import type { IgnoredLink } from '../links/link-request';
import { resolveMessages } from '../resolution';
import { VisitorLimit } from '../event-limits';
import type { BatchOutcome } from './import-report';

export interface StoredMessages {
  receipt: Receipt;
  /** The project version used to resolve the messages. */
  version: number;
  /** The project version that storing the messages created; `version` if they did not change the project. */
  nextVersion: number;
}

/** Additional writes in the transaction that stores messages. */
export type Alongside = (tx: Tx, batch: BatchOutcome) => Promise<void>;

/**
 * More than for requests, which clients send again: an import fails as a whole, and its attempts wait for the project's
 * lock, so each change that is committed in the meantime makes one fail.
 */
const ATTEMPTS = 50;

/** Stores historical messages with their own timestamps. */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly database: Database,
    private readonly definitions: DefinitionStore,
    private readonly deletions: DeletionCheck,
    private readonly limit: VisitorLimit,
    private readonly log: EventLog,
    private readonly projects: ProjectWriter,
    private readonly versions: ProjectVersionsStore,
  ) {}

  /**
   * Stores messages in one transaction, with the same rules as collection, but with their own timestamps. If exposures
   * are earlier than the start of their experiment, the start is moved back to the earliest exposure.
   * @throws NotFoundError if the project does not exist or is deleted
   */
  async store(
    projectId: number,
    messages: readonly unknown[],
    alongside: Alongside = () => Promise.resolve(),
  ): Promise<StoredMessages> {
    return untilUnchanged(() => this.attempt(projectId, messages, alongside), ATTEMPTS);
  }

  /**
   * The current version of a project.
   * @throws NotFoundError if the project does not exist or is deleted
   */
  async versionOf(projectId: number): Promise<number> {
    const versions = await this.versions.ofLiveProjects(this.database.read, [projectId]);
    const version = versions.get(projectId);
    if (version === undefined) {
      throw new NotFoundError();
    }
    return version;
  }

  private async attempt(
    projectId: number,
    messages: readonly unknown[],
    alongside: Alongside,
  ): Promise<StoredMessages> {
    const definitions = await this.definitions.find(projectId, await this.versionOf(projectId));
    const arrival = {
      definitions,
      receivedAt: nowMicros(),
      sentAt: null,
      userAgent: '',
      source: 'import' as const,
    };
    const resolved = resolveMessages(messages, arrival);
    const [resolution] = await this.deletions.apply([{ projectId, resolution: resolved }]);
    const [{ events, links, outcomes, receipt }] = await this.limit.apply([{ projectId, resolution }]);
    const starts = earlierStarts(definitions, events);
    const { changed } = await this.log.append([{ definitions, events, links }], {
      alongside: (tx, { ignoredLinks }) =>
        alongside(tx, { ...receipt, ignoredLinks: refusedLinks(outcomes, ignoredLinks) }),
      ...(starts.length > 0 && {
        inTransaction: <T>(work: (tx: Tx) => Promise<T>) => this.storeWithStarts(definitions, starts, work),
      }),
    });
    changed.forEach((id) => this.definitions.forget(id));
    const { version } = definitions;
    // Computed, because a version that is read now may include changes under which the messages were not resolved.
    return { receipt, version, nextVersion: starts.length > 0 ? version + 1 : version };
  }

  /**
   * Stores messages and moves the starts of experiments back, which increments the project version once. The starts
   * were computed from the definitions, so the definitions must still be current.
   */
  private storeWithStarts<T>(
    { projectId, version }: Definitions,
    starts: readonly Start[],
    store: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    return this.projects.change({ projectId, author: 'admin' }, null, async (write) => {
      const versions = await this.versions.ofLiveProjects(write.tx, [projectId]);
      if (versions.get(projectId) !== version) {
        throw new DefinitionsChangedError();
      }
      // Store the messages first: an experiment's first exposure inserts its result row, which must exist when the
      // rules change.
      const stored = await store(write.tx);
      for (const { experimentId, from, to } of starts) {
        await moveStart(write.tx, experimentId, to, write.now);
        write.changed('experiments', {
          action: 'move-start',
          itemType: 'experiment',
          itemId: experimentId,
          before: { started_at: formatMicros(from) },
          after: { started_at: formatMicros(to) },
        });
      }
      return stored;
    });
  }
}

interface Start {
  experimentId: number;
  from: Micros;
  to: Micros;
}

/**
 * The experiments with an exposure before their start, sorted by id. A run includes the whole millisecond in which it
 * starts, because client clocks have millisecond precision.
 */
function earlierStarts({ experiments }: Definitions, events: readonly ResolvedEvent[]): Start[] {
  const starts = new Map<number, Start>();
  for (const { experiment_id, occurred_at } of events) {
    const run = experiment_id === null ? undefined : experiments.get(experiment_id)?.rules.runs[0];
    if (experiment_id !== null && run !== undefined) {
      const from = run.startedAt;
      const known = starts.get(experiment_id)?.to ?? startOf(run);
      if (occurred_at < known) {
        starts.set(experiment_id, { experimentId: experiment_id, from, to: occurred_at });
      }
    }
  }
  return [...starts.values()].sort((a, b) => a.experimentId - b.experimentId);
}

/** The messages whose ids were not linked. */
const refusedLinks = (
  outcomes: readonly Outcome[],
  ignored: readonly IgnoredLink[],
): BatchOutcome['ignoredLinks'] =>
  withIgnoredLinks(outcomes, ignored).flatMap((outcome, index) => {
    const reason = linkIn(outcome)?.refusal ?? null;
    return reason === null ? [] : [{ index, reason }];
  });
