import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MAX_CLIENT_KEY } from '../common/limits';
import { inTime } from '../common/time/deadline';
import { Database } from '../database/database';
import { placeholders } from '../database/row-store';
import { ClientKeyCache } from '../projects/dependents';
import { GroupCommit } from './group-commit';

/** The project settings that a client key leads to. */
export interface KeyedProject {
  projectId: number;
  /** Null = all origins. */
  allowedOrigins: readonly string[] | null;
  /** Null = the default of the server. */
  eventsPerMinute: number | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Project of the client key; null if the key is unknown, undefined if it was not or could not be looked up. */
    keyedProject: KeyedProject | null | undefined;
  }
}

interface KeyRow {
  client_key: string;
  id: number;
  allowed_origins: string | null;
  events_per_minute: number | null;
}

interface Known {
  project: KeyedProject;
  /** Milliseconds. */
  readAt: number;
}

const KEY = new RegExp(`^\\w{1,${MAX_CLIENT_KEY}}$`);
const FRESH_MS = 1_000;
const PATIENCE_MS = 250;
const LATE = Symbol('late');
const MAX_BYTES = 8 * 1024 * 1024;
const OVERHEAD_BYTES = 300;
const LOOK_UPS = { groupSize: 500, waitingSize: 50_000, parallel: 2 };

/**
 * Cache of projects by client key. Entries are at most one second old while the database is available; while it is not,
 * the last known entry is used. Unknown keys are not cached.
 */
@Injectable()
export class ClientKeys implements ClientKeyCache {
  private readonly known = new LRUCache<string, Known>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ project: { allowedOrigins } }, key) =>
      OVERHEAD_BYTES + 2 * (key.length + (allowedOrigins ?? []).join(' ').length),
  });
  private readonly refreshes = new Map<string, Promise<KeyedProject | null>>();
  private readonly lookUps: GroupCommit<string, KeyedProject | null>;

  constructor(private readonly database: Database) {
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

  /** Like `find`, but undefined if the database does not answer before the timeout. */
  findSoon(clientKey: string): Promise<KeyedProject | null | undefined> {
    const found = this.find(clientKey).catch(() => undefined);
    return inTime(found, PATIENCE_MS, undefined);
  }

  /** Invalidates the entry: this process sees a change of the project at once, others within a second. */
  forget(projectId: number): void {
    for (const [key, { project }] of [...this.known]) {
      if (project.projectId === projectId) {
        this.known.delete(key);
      }
    }
  }

  private async read(clientKey: string): Promise<KeyedProject | null> {
    const project = await this.lookUps.submit(clientKey, 1);
    if (project === null) {
      this.known.delete(clientKey);
    } else {
      this.known.set(clientKey, { project, readAt: Date.now() });
    }
    return project;
  }

  /** Concurrent callers share one lookup, which has a short timeout if there is a stale entry to fall back to. */
  private refresh(clientKey: string, known: Known): Promise<KeyedProject | null> {
    const underWay = this.refreshes.get(clientKey);
    if (underWay !== undefined) {
      return underWay;
    }
    const makeDo = (): KeyedProject => {
      known.readAt = Date.now();
      return known.project;
    };
    const refresh = inTime(this.read(clientKey).catch(makeDo), PATIENCE_MS, LATE)
      .then((answer) => (answer === LATE ? makeDo() : answer))
      .finally(() => this.refreshes.delete(clientKey));
    this.refreshes.set(clientKey, refresh);
    return refresh;
  }

  private async lookUp(clientKeys: readonly string[]): Promise<(KeyedProject | null)[]> {
    const keys = [...new Set(clientKeys)];
    const rows: KeyRow[] = await this.database.delivery.query(
      `SELECT p.client_key, p.id, s.allowed_origins, s.events_per_minute
         FROM projects p JOIN project_settings s ON s.id = p.id
        WHERE p.client_key IN (${placeholders(keys.length)}) AND p.deleted_at IS NULL`,
      keys,
    );
    const projects = new Map(rows.map((row) => [row.client_key, toProject(row)]));
    return clientKeys.map((key) => projects.get(key) ?? null);
  }
}

const isFresh = ({ readAt }: Known): boolean => Date.now() - readAt < FRESH_MS;

const toProject = ({ id, allowed_origins, events_per_minute }: KeyRow): KeyedProject => ({
  projectId: id,
  allowedOrigins: allowed_origins === null ? null : (JSON.parse(allowed_origins) as string[]),
  eventsPerMinute: events_per_minute,
});
