import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { UnavailableError } from '../common/errors/api-errors';
import { inTime } from '../common/event-loop';
import { MAX_CLIENT_KEY } from '../common/limits';
import { growingCache } from '../common/lists/collections';
import { isUnavailable } from '../database/errors';
import { GroupCommit } from '../events/group-commit';
import { ProjectChanges } from '../projects/project-versions.store';
import { Availability, DeliveryCounters } from './availability';
import { InFlight } from '../common/concurrency';
import type { Published } from './published';
import { toPublished } from './revision';
import { RevisionCache } from './revision-cache';
import type { Pointer } from './publication.store';
import { RevisionSource } from './revision-source';

/** Maximum age of a served revision in milliseconds, as long as the database is available. */
const FRESH_MS = 1_000;
/** Database timeout, in milliseconds, for requests that can be served from a cached revision. */
const DEADLINE_MS = 1_000;
const LIMITS = { groupSize: 500, waitingSize: 100_000, parallel: 2 };
const MAX_PROJECTS = 1_000;
const MAX_PINNED = 200;
const MAX_MISSING = 10_000;
const MISSING_MS = 60_000;
const MAX_CHANGES = 10_000;
const MEGABYTE = 1024 * 1024;
const OVERHEAD_BYTES = 2_048;

/** The last known revision of a project. Times are in milliseconds of the monotonic clock. */
interface Known {
  published: Published;
  /** The project version that the revision belongs to. */
  version: number;
  /** When the database last confirmed that the revision is current. */
  readAt: number;
  usedAt: number;
}

interface PointerAnswer {
  pointer: Pointer | null;
  readAt: number;
}

const LATE = Symbol('late');

const bounded = (megabytes: number) => ({
  maxSize: megabytes * MEGABYTE,
  sizeCalculation: (value: Published | Known) =>
    ('published' in value ? value.published : value).bytes + OVERHEAD_BYTES,
});

/**
 * Cache of live revisions by client key. Revisions are immutable. The current revisions of all projects in use are
 * looked up together once a second. A project's revision is also looked up immediately after a change by this process.
 * While the database is unavailable, the last known revision is served from memory or from the local disk.
 */
@Injectable()
export class PublishedProjects {
  private readonly known = new LRUCache<string, Known>({ max: MAX_PROJECTS, ...bounded(128) });
  private readonly pinned = new LRUCache<string, Published>({ max: MAX_PINNED, ...bounded(64) });
  /** Earlier revisions that were not found. They are read again after a while, because a replica may lag. */
  private readonly missing = growingCache<string, true>(MAX_MISSING, MISSING_MS);
  private readonly changedAt = growingCache<number, number>(MAX_CHANGES);
  private readonly lookUps = new InFlight<Published | null>();
  private readonly pinnedLoads = new InFlight<Published | null>();
  private readonly diskReads = new InFlight<Published | null>();
  private readonly pointers: GroupCommit<string, PointerAnswer>;

  constructor(
    @Inject(RevisionSource) private readonly source: Pick<RevisionSource, keyof RevisionSource>,
    private readonly cache: RevisionCache,
    private readonly availability: Availability,
    private readonly counters: DeliveryCounters,
    changes: ProjectChanges,
  ) {
    this.pointers = new GroupCommit(LIMITS, (keys) => this.readPointers(keys));
    changes.listen((projectId) => {
      this.changedAt.set(projectId, performance.now());
      this.lookUps.forget();
    });
  }

  /**
   * The live revision for a client key; null if the key is unknown or its project is deleted.
   * @throws UnavailableError if the database is unavailable and no revision of the project is cached
   */
  async find(clientKey: string): Promise<Published | null> {
    if (clientKey.length > MAX_CLIENT_KEY) {
      return null;
    }
    return this.findKnown(clientKey) ?? this.look(clientKey);
  }

  /** The cached live revision for a client key, or undefined if a lookup is needed. */
  findKnown(clientKey: string): Published | undefined {
    const known = this.known.get(clientKey);
    if (known === undefined || !this.isFresh(known)) {
      return undefined;
    }
    this.counters.hits.inc();
    return known.published;
  }

  /**
   * The revision with a given number; null if it does not exist.
   * @throws UnavailableError as `find` does
   */
  async findRevision(clientKey: string, revision: number): Promise<Published | null> {
    const found = await this.find(clientKey);
    // A different process may have published the requested revision less than a second ago.
    const current = found !== null && revision > found.revision ? await this.look(clientKey) : found;
    if (current === null || revision < 1 || revision > current.revision) {
      if (this.availability.isAway) {
        throw new UnavailableError();
      }
      return null;
    }
    return revision === current.revision ? current : this.earlier({ ...current, revision });
  }

  /** Removes the cached revision of a deleted project, in memory and on disk. */
  forget(clientKey: string): void {
    this.known.delete(clientKey);
    this.cache.remove(clientKey);
  }

  /** Removes the revisions in memory whose projects are deleted or purged, with their copies on disk. */
  async forgetDeleted(): Promise<void> {
    const keys = [...this.known.keys()];
    const answers = await Promise.all(keys.map((key) => this.pointers.submit(key, 1)));
    keys.filter((_, index) => answers[index]?.pointer === null).forEach((key) => this.forget(key));
  }

  /** Whether any revision can be served without the database. */
  async hasRevisions(): Promise<boolean> {
    return this.known.size > 0 || !(await this.cache.isEmpty());
  }

  private isFresh(known: Known): boolean {
    const now = performance.now();
    known.usedAt = now;
    const changedAt = this.changedAt.get(known.published.projectId) ?? -Infinity;
    return now - known.readAt < FRESH_MS && known.readAt > changedAt;
  }

  /** Queries the database, with a timeout if a cached revision can be served instead. */
  private async look(clientKey: string): Promise<Published | null> {
    this.counters.misses.inc();
    const wasAway = this.availability.isAway;
    if (!this.availability.claimTry()) {
      return this.lastKnown(clientKey);
    }
    const current = this.lookUps.share(clientKey, () => this.readCurrent(clientKey));
    try {
      const answer = wasAway ? LATE : await inTime(current, DEADLINE_MS, LATE);
      if (answer !== LATE) {
        return answer;
      }
    } catch (error) {
      if (error instanceof UnavailableError) {
        return await this.lastKnown(clientKey);
      }
      throw error;
    }
    current.catch(() => undefined);
    return (await this.stored(clientKey)) ?? current;
  }

  /** The last known revision. @throws UnavailableError if there is none */
  private async lastKnown(clientKey: string): Promise<Published> {
    const published = await this.stored(clientKey);
    if (published === null) {
      throw new UnavailableError();
    }
    return published;
  }

  /** The revision in memory or on disk. Using it increments the counter of stale requests. */
  private async stored(clientKey: string): Promise<Published | null> {
    const published =
      this.known.get(clientKey)?.published ??
      (await this.diskReads.share(clientKey, () => this.fromDisk(clientKey)));
    if (published !== null) {
      this.counters.stale.inc();
    }
    return published;
  }

  private async fromDisk(clientKey: string): Promise<Published | null> {
    const published = await this.cache.find(clientKey);
    if (published !== null && !this.known.has(clientKey)) {
      this.known.set(clientKey, { published, version: -1, readAt: -Infinity, usedAt: performance.now() });
    }
    return published;
  }

  private async readCurrent(clientKey: string): Promise<Published | null> {
    const { pointer, readAt } = await this.pointers.submit(clientKey, 1);
    if (pointer === null) {
      this.forget(clientKey);
      return null;
    }
    const before = this.known.get(clientKey);
    if (before !== undefined && (before.readAt >= readAt || isSame(before, pointer))) {
      before.readAt = Math.max(before.readAt, readAt);
      return before.published;
    }
    const published = await this.answering(() => this.load(pointer, before?.published));
    const meanwhile = this.known.get(clientKey);
    if (meanwhile === undefined || meanwhile.readAt < readAt) {
      this.known.set(clientKey, { published, version: pointer.version, readAt, usedAt: performance.now() });
    }
    return published;
  }

  private async load(pointer: Pointer, before: Published | undefined): Promise<Published> {
    if (before !== undefined && before.revision === pointer.revision && pointer.revision > 0) {
      const names = await this.source.names(pointer.projectId);
      if (isDeepStrictEqual(names.all, before.names.all)) {
        return before;
      }
    }
    const revision = await this.source.load(pointer);
    if (revision === null) {
      throw new Error(`Revision ${pointer.revision} of project ${pointer.projectId} is missing.`);
    }
    const published = toPublished(revision);
    this.cache.keep(revision);
    return published;
  }

  private async earlier(pointer: Omit<Pointer, 'version'>): Promise<Published | null> {
    const key = `${pointer.projectId}:${pointer.revision}`;
    if (this.missing.get(key)) {
      return null;
    }
    const load = async (): Promise<Published | null> => {
      const revision = await this.answering(() => this.source.load(pointer));
      if (revision === null) {
        this.missing.set(key, true);
        return null;
      }
      const published = toPublished(revision);
      this.pinned.set(key, published);
      return published;
    };
    return this.pinned.get(key) ?? this.pinnedLoads.share(key, load);
  }

  /**
   * The pointers for the given keys. The query also refreshes the pointers of other projects in use that are about to
   * expire.
   */
  private async readPointers(clientKeys: readonly string[]): Promise<PointerAnswer[]> {
    const readAt = performance.now();
    const keys = new Set(clientKeys);
    for (const [key, { readAt: before, usedAt }] of this.known.entries()) {
      if (keys.size < LIMITS.groupSize && usedAt > readAt - FRESH_MS && before < readAt - FRESH_MS / 2) {
        keys.add(key);
      }
    }
    const pointers = await this.pointersOf([...keys]);
    for (const [key, pointer] of pointers) {
      const known = this.known.peek(key);
      if (known !== undefined && isSame(known, pointer)) {
        known.readAt = Math.max(known.readAt, readAt);
      }
    }
    return clientKeys.map((key) => ({ pointer: pointers.get(key) ?? null, readAt }));
  }

  /** Any database error here counts as an outage. During an outage, delivery continues without the database. */
  private async pointersOf(keys: readonly string[]): Promise<Map<string, Pointer>> {
    const timer = setTimeout(
      () => this.availability.failed(new Error('The database did not respond in time.')),
      DEADLINE_MS,
    );
    try {
      const pointers = await this.source.pointers(keys);
      this.availability.answered();
      return pointers;
    } catch (error) {
      this.availability.failed(error);
      throw new UnavailableError();
    } finally {
      clearTimeout(timer);
    }
  }

  private async answering<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isUnavailable(error)) {
        this.availability.failed(error);
        throw new UnavailableError();
      }
      throw error;
    }
  }
}

const isSame = ({ published, version }: Known, pointer: Pointer): boolean =>
  version === pointer.version && published.revision === pointer.revision;
