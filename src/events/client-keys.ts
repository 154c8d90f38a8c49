import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../common/errors/api-errors';
import { InFlight } from '../common/concurrency';
import { inTime } from '../common/event-loop';
import { MAX_CLIENT_KEY } from '../common/limits';
import { ClientKeyCache } from '../projects/dependents';
import { ClientKeyStore, type KeyedProject } from './client-keys.store';
import { EventCounters } from './event-metrics';
import { GroupCommit } from './group-commit';
import { messagesIn } from './recent/sending';

declare module 'fastify' {
  interface FastifyRequest {
    /** Project of the client key; null if the key is unknown, undefined if there was no lookup or the lookup failed. */
    keyedProject: KeyedProject | null | undefined;
  }
}

interface Known {
  project: KeyedProject;
  /** Unix time in milliseconds. */
  readAt: number;
}

const KEY = new RegExp(`^\\w{1,${MAX_CLIENT_KEY}}$`);
const FRESH_MS = 1_000;
const TIMEOUT_MS = 250;
const LATE = Symbol('late');
const MAX_BYTES = 8 * 1024 * 1024;
const OVERHEAD_BYTES = 300;
const LOOK_UPS = { groupSize: 500, waitingSize: 50_000, parallel: 2 };

/**
 * Cache of projects by client key. Entries are at most one second old while the database is available. During an
 * outage, the last known entry is used. Unknown keys are not cached.
 */
@Injectable()
export class ClientKeys implements ClientKeyCache {
  private readonly known = new LRUCache<string, Known>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ project: { allowedOrigins } }, key) =>
      OVERHEAD_BYTES + 2 * (key.length + (allowedOrigins ?? []).join(' ').length),
  });
  private readonly refreshes = new InFlight<KeyedProject | null>();
  private readonly lookUps: GroupCommit<string, KeyedProject | null>;
  /**
   * Counts invalidations. A lookup that began before the last invalidation may have read outdated data, so its result
   * is not cached.
   */
  private forgotten = 0;

  constructor(private readonly store: ClientKeyStore) {
    this.lookUps = new GroupCommit(LOOK_UPS, (keys) => this.lookUp(keys));
  }

  /**
   * The project of a client key; null if the key is unknown or its project is deleted.
   * @throws UnavailableError if too many lookups are pending
   */
  async find(clientKey: string): Promise<KeyedProject | null> {
    if (!KEY.test(clientKey)) {
      return null;
    }
    const known = this.known.get(clientKey);
    if (known === undefined) {
      return this.read(clientKey);
    }
    return isFresh(known) ? known.project : this.refresh(clientKey, known);
  }

  /** The cached project of a client key, or undefined if a lookup is needed. */
  findKnown(clientKey: string): KeyedProject | undefined {
    const known = this.known.get(clientKey);
    return known !== undefined && isFresh(known) ? known.project : undefined;
  }

  /** The last known project of a client key, however old; undefined if there is none. */
  findLast(clientKey: string): KeyedProject | undefined {
    return this.known.peek(clientKey)?.project;
  }

  /** Like `find`, but returns undefined if the lookup fails or the database does not respond before the timeout. */
  findSoon(clientKey: string): Promise<KeyedProject | null | undefined> {
    const found = this.find(clientKey).catch(() => undefined);
    return inTime(found, TIMEOUT_MS, undefined);
  }

  /**
   * Invalidates a project's entries. This process sees the change immediately; other processes see it within a second.
   */
  forget(projectId: number): void {
    this.forgotten += 1;
    for (const [key, { project }] of [...this.known]) {
      if (project.projectId === projectId) {
        this.known.delete(key);
      }
    }
  }

  private async read(clientKey: string): Promise<KeyedProject | null> {
    const { forgotten } = this;
    const project = await this.lookUps.submit(clientKey, 1);
    if (project === null) {
      this.known.delete(clientKey);
    } else if (forgotten === this.forgotten) {
      this.known.set(clientKey, { project, readAt: performance.now() });
    }
    return project;
  }

  /** Concurrent callers share one lookup. If it fails or exceeds a short timeout, they get the stale entry. */
  private refresh(clientKey: string, known: Known): Promise<KeyedProject | null> {
    const makeDo = (): KeyedProject => {
      known.readAt = performance.now();
      return known.project;
    };
    return this.refreshes.share(clientKey, async () => {
      const answer = await inTime(this.read(clientKey).catch(makeDo), TIMEOUT_MS, LATE);
      return answer === LATE ? makeDo() : answer;
    });
  }

  private async lookUp(clientKeys: readonly string[]): Promise<(KeyedProject | null)[]> {
    const projects = await this.store.read([...new Set(clientKeys)]);
    return clientKeys.map((key) => projects.get(key) ?? null);
  }
}

const isFresh = ({ readAt }: Known): boolean => performance.now() - readAt < FRESH_MS;

/** Scripts are exempt, because they are public and give other origins no access. */
const SCRIPTS = '/s/';

/**
 * Finds the project of the client key, and rejects requests from origins that are not in its `allowed_origins`.
 * Browsers set the `Origin` header, and pages cannot change it. Back ends do not send the header, so their requests
 * pass.
 */
@Injectable()
export class OriginCheck {
  constructor(
    private readonly keys: ClientKeys,
    private readonly counters: EventCounters,
  ) {}

  /**
   * Checks all routes in the scope of `server` except scripts. CORS preflights are checked if the key is in the URL;
   * otherwise the actual request is checked.
   */
  watch(server: FastifyInstance): void {
    // Runs after body parsing, because some keys are in the body.
    server.addHook('preHandler', (request, _reply, done) => {
      const { clientKey } = request;
      if (clientKey === null || request.url.startsWith(SCRIPTS)) {
        done();
        return;
      }
      const check = (project: KeyedProject | null | undefined): void => {
        request.keyedProject = project;
        done(this.refusal(request));
      };
      const known = this.keys.findKnown(clientKey);
      if (known === undefined) {
        this.keys.findSoon(clientKey).then(check, done);
      } else {
        check(known);
      }
    });
    // Caches must not serve the response for one origin to another.
    server.addHook('onSend', (request, reply, payload, done) => {
      if (allowedOrigins(request) !== null) {
        const vary = reply.getHeader('vary');
        reply.header('vary', vary === undefined ? 'Origin' : `${String(vary)}, Origin`);
      }
      done(null, payload);
    });
  }

  /**
   * Requests with unknown keys pass, because the handler rejects them. If the lookup times out, the request also
   * passes, so that decisions do not need the database. Collection checks the origin once it has found the project.
   */
  private refusal(request: FastifyRequest): ApiError | undefined {
    const { keyedProject, headers } = request;
    if (!keyedProject || isOriginAllowed(keyedProject, headers.origin)) {
      return undefined;
    }
    this.counters.refuse('origin', messagesIn(request));
    return new ApiError('ORIGIN_NOT_ALLOWED');
  }
}

/** Whether the project allows requests from this origin. Back ends send no origin and are always allowed. */
export const isOriginAllowed = (
  { allowedOrigins: allowed }: KeyedProject,
  origin: string | null | undefined,
): boolean => allowed === null || origin === null || origin === undefined || allowed.includes(origin);

/** Null = all origins. */
const allowedOrigins = ({ keyedProject }: FastifyRequest): readonly string[] | null =>
  keyedProject?.allowedOrigins ?? null;
