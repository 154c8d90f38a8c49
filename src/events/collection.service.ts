import { Injectable } from '@nestjs/common';
import { ApiError, TooLargeError, UnauthenticatedError, UnavailableError } from '../common/errors/api-errors';
import { refusalOf } from '../common/errors/refusal';
import { inTime } from '../common/event-loop';
import { groupBy } from '../common/lists/collections';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import { ProjectVersionsStore } from '../projects/project-versions.store';
import { ClientKeys, isOriginAllowed } from './client-keys';
import type { KeyedProject } from './client-keys.store';
import { type Definitions, untilUnchanged } from './definitions';
import { DefinitionStore } from './definitions.store';
import { DeletionCheck } from './deletions/deleted-visitors.store';
import { EventCounters, Refusal } from './event-metrics';
import { EventLimits, VisitorLimit } from './event-limits';
import { EventLog } from './event-log';
import type { ProjectEvents } from './event-writer';
import { GroupCommit, QueueFullError } from './group-commit';
import type { IgnoredLink } from './links/link-request';
import { type Receipt, type Resolution, resolutionOf, withIgnoredLinks } from './message-outcome';
import { RecentMessages } from './recent/recent-messages';
import { refusedReason } from './recent/refused-requests';
import { type Sending, withoutPage } from './recent/sending';
import { resolveInTurns } from './resolution';
import { SnippetErrorLog } from './snippet-error-log';

/** The messages in one request with a client key. */
export interface Delivery {
  clientKey: string;
  /** Project of the client key, if the key has already been looked up; null if the key is unknown. */
  keyedProject?: KeyedProject | null;
  messages: readonly unknown[];
  /** Size of the request body in bytes. */
  bytes: number;
  receivedAt: Micros;
  sentAt: Micros | null;
  userAgent: string;
  /** The fields of the request that the list of recent messages shows, and that identify bots. */
  sending?: Sending;
  /** All or nothing: if one message is rejected, none is stored. */
  isWhole?: boolean;
}

const GROUP_EVENTS = 2_000;
const WAITING_EVENTS = 50_000;
/** Maximum number of events in a batch. Larger batches never fit into a project's queue, so retrying would not help. */
export const MAX_BATCH_EVENTS = WAITING_EVENTS / 2;
/**
 * A request counts as at least one event per 400 bytes of body, rounded up. This also limits the queue's memory usage.
 */
const BYTES_OF_EVENT = 400;
/**
 * Maximum number of groups that are committed at the same time. SQLite has a single writer. On MySQL, a second group is
 * prepared and sent while the first one is being committed.
 */
const PARALLEL = { sqlite: 1, mysql: 2 };
/**
 * Longer than the lock timeout. A commit after this deadline is harmless, because the client's retry is detected as a
 * duplicate.
 */
const DEADLINE_MS = 10_000;
const LATE = Symbol('late');

interface Job {
  projectId: number;
  delivery: Delivery;
}

interface Resolved extends Resolution {
  definitions: Definitions;
  /** False if the request is all-or-nothing and one of its messages is rejected. */
  isStored: boolean;
}

/** Collects events. An event is acknowledged only after it is committed. */
@Injectable()
export class CollectionService {
  private readonly groups: GroupCommit<Job, Receipt | UnavailableError | null>;

  constructor(
    private readonly database: Database,
    private readonly keys: ClientKeys,
    private readonly perMinute: EventLimits,
    private readonly versions: ProjectVersionsStore,
    private readonly definitions: DefinitionStore,
    private readonly deletions: DeletionCheck,
    private readonly limit: VisitorLimit,
    private readonly log: EventLog,
    private readonly counters: EventCounters,
    private readonly snippetErrors: SnippetErrorLog,
    private readonly recent: RecentMessages,
  ) {
    const size = {
      groupSize: GROUP_EVENTS,
      waitingSize: WAITING_EVENTS,
      parallel: PARALLEL[database.engine],
    };
    this.groups = new GroupCommit(size, (jobs) =>
      database.collecting(() => untilUnchanged(() => this.attempt(jobs))),
    );
    counters.watchQueue(() => this.groups.queued);
  }

  /**
   * Resolves when the accepted events are committed.
   * @throws UnauthenticatedError if the client key is unknown
   * @throws ApiError `ORIGIN_NOT_ALLOWED` if the project was not looked up before and does not allow the page's origin
   * @throws TooLargeError if the request has more events than the server accepts
   * @throws TooManyAttemptsError if the project has reached its limit on events per minute
   * @throws UnavailableError if the queue of the project or of the server is full, or the database does not respond
   */
  async collect(delivery: Delivery): Promise<Receipt> {
    try {
      const receipt = await inTime(this.admit(delivery), DEADLINE_MS, LATE);
      if (receipt === LATE) {
        throw new UnavailableError();
      }
      this.counters.count(receipt);
      return receipt;
    } catch (error) {
      this.counters.refuse(reasonOf(error), delivery.messages.length);
      const { keyedProject, sending = withoutPage('decide'), messages } = delivery;
      if (keyedProject) {
        this.recent.noteRefused(keyedProject.projectId, sending, refusedReason(error), messages.length);
      }
      throw error;
    }
  }

  private async admit(delivery: Delivery): Promise<Receipt> {
    const { keyedProject: project = await this.lookUp(delivery) } = delivery;
    if (project === null) {
      throw new UnauthenticatedError();
    }
    const size = sizeOf(delivery);
    if (size > MAX_BATCH_EVENTS) {
      throw new TooLargeError(MAX_BATCH_EVENTS);
    }
    const count = delivery.messages.length;
    const refund = await this.perMinute.admit(project, count);
    const { projectId } = project;
    const receipt = await this.groups
      .submitTo(projectId, { projectId, delivery }, size)
      .catch(async (error: unknown) => {
        await refund();
        throw error;
      });
    if (receipt instanceof UnavailableError) {
      await refund();
      throw receipt;
    }
    if (receipt === null) {
      throw new UnauthenticatedError();
    }
    return receipt;
  }

  /**
   * Finds the project and checks the origin. `OriginCheck` does not wait long for the project, so it may have let the
   * request pass unchecked.
   */
  private async lookUp({ clientKey, sending }: Delivery): Promise<KeyedProject | null> {
    const project = await this.keys.find(clientKey);
    if (project !== null && !isOriginAllowed(project, sending?.origin)) {
      throw new ApiError('ORIGIN_NOT_ALLOWED');
    }
    return project;
  }

  private async attempt(jobs: readonly Job[]): Promise<(Receipt | UnavailableError | null)[]> {
    const projects = await this.definitionsOf(jobs);
    const resolved = await this.resolve(jobs, projects);
    const events = eventsByProject(resolved.filter(isResolved));
    let ignored: readonly IgnoredLink[] = [];
    if (events.length > 0) {
      const { changed, ignoredLinks } = await this.log.append(events);
      ignored = ignoredLinks;
      this.counters.ignoreLinks(ignored);
      changed.forEach((projectId) => this.definitions.forget(projectId));
    }
    resolved.forEach((each, index) => {
      if (isResolved(each)) {
        this.report(each, jobs[index].delivery, ignored);
      }
    });
    return resolved.map((each) => (isResolved(each) ? each.receipt : each));
  }

  /** Resolves each job's messages: null if the project no longer exists, or an error if the job must be rejected. */
  private async resolve(
    jobs: readonly Job[],
    projects: ReadonlyMap<number, Definitions>,
  ): Promise<(Resolved | UnavailableError | null)[]> {
    const whole: { projectId: number; resolution: Resolution }[] = [];
    const refused = new Map<number, UnavailableError>();
    for (const [index, { projectId, delivery }] of jobs.entries()) {
      const definitions = projects.get(projectId);
      const arrival = { ...delivery, source: 'site' as const };
      const resolution =
        definitions === undefined
          ? resolutionOf([])
          : await resolveInTurns(delivery.messages, { ...arrival, definitions }).catch((error: unknown) => {
              if (!(error instanceof UnavailableError)) {
                throw error;
              }
              refused.set(index, error);
              return resolutionOf([]);
            });
      whole.push({ projectId, resolution });
    }
    const kept = await this.deletions.apply(whole);
    const checked = await this.limit.apply(
      jobs.map(({ projectId }, index) => ({ projectId, resolution: kept[index] })),
    );
    return jobs.map(({ projectId, delivery }, index) => {
      const definitions = projects.get(projectId);
      const resolved = definitions === undefined ? null : resolvedOf(delivery, definitions, checked[index]);
      return refused.get(index) ?? resolved;
    });
  }

  /** Reports snippet errors and records recent messages after the commit. */
  private report(
    { definitions: { projectId }, ...resolution }: Resolved,
    delivery: Delivery,
    ignored: readonly IgnoredLink[],
  ): void {
    this.snippetErrors.report(projectId, resolution.errors);
    const { receivedAt, messages, sending = withoutPage('decide') } = delivery;
    const { isStored } = resolution;
    const outcomes = withIgnoredLinks(resolution.outcomes, ignored);
    this.recent.noteResolved(projectId, { sending, receivedAt, messages, outcomes, isStored });
  }

  /** The current definitions of the projects that are not deleted. */
  private async definitionsOf(jobs: readonly Job[]): Promise<Map<number, Definitions>> {
    const ids = [...new Set(jobs.map(({ projectId }) => projectId))];
    const versions = await this.versions.ofLiveProjects(this.database.read, ids);
    const projects = new Map<number, Definitions>();
    for (const [id, version] of versions) {
      projects.set(id, await this.definitions.find(id, version));
    }
    return projects;
  }
}

const isResolved = (each: Resolved | UnavailableError | null): each is Resolved =>
  each !== null && !(each instanceof UnavailableError);

const sizeOf = ({ messages, bytes }: Delivery): number =>
  Math.max(1, messages.length, Math.ceil(bytes / BYTES_OF_EVENT));

function resolvedOf({ isWhole }: Delivery, definitions: Definitions, resolution: Resolution): Resolved {
  const { rejected } = resolution.receipt;
  return isWhole === true && rejected.length > 0
    ? {
        ...resolution,
        definitions,
        isStored: false,
        events: [],
        links: [],
        errors: [],
        receipt: { accepted: 0, rejected },
      }
    : { ...resolution, definitions, isStored: true };
}

function eventsByProject(resolved: readonly Resolved[]): ProjectEvents[] {
  const projects = groupBy(
    resolved.filter(({ events, links }) => events.length + links.length > 0),
    ({ definitions }) => definitions,
  );
  return [...projects].map(([definitions, own]) => ({
    definitions,
    events: own.flatMap(({ events }) => events),
    links: own.flatMap(({ links }) => links),
  }));
}

function reasonOf(error: unknown): Refusal {
  return error instanceof QueueFullError ? 'queue_full' : (REFUSALS[refusalOf(error).status] ?? 'failed');
}

const REFUSALS: Partial<Record<number, Refusal>> = {
  401: 'unknown_key',
  403: 'origin',
  413: 'too_large',
  429: 'rate_limit',
  503: 'unavailable',
};
