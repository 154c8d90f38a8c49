import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { found, UnavailableError } from '../common/errors/api-errors';
import { codedBody, CodedBody } from '../common/http/content-coding';
import { DrawingKind, ShareLimit } from './share-limit';
import { Shared, Shares } from './shares';

const RETRY_AFTER_SECONDS = 5;

/** Renders one view at a time, so that many requests do not block the server. */
class DrawingQueue {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** @param most the maximum number of waiting and running renderings */
  constructor(private readonly most: number) {}

  /**
   * Runs the work after all earlier work.
   * @throws UnavailableError (503) if too much work is waiting
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting >= this.most) {
      throw new UnavailableError(RETRY_AFTER_SECONDS);
    }
    this.waiting += 1;
    const mine = this.last.then(work);
    this.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      this.waiting -= 1;
    }
  }
}

const MAX_BYTES = 32 * 1024 * 1024;
const OVERHEAD_BYTES = 1_024;
/** Queue sizes differ because a browser requests many images at once, but only one page. */
const MOST_WAITING = { page: 20, part: 200 } as const;
const ATTEMPTS = 3;

/** A response with shared results. */
export interface Drawn {
  status: number;
  body: CodedBody;
  /** Identifies the state shown; null if the response has no ETag. */
  key: string | null;
}

/** The requested view. */
export interface Asked {
  kind: DrawingKind;
  /** Cache key within a link, consisting of view and filter. If it is null, the response is not cached. */
  view: string | null;
  /** The client whose rate limit is charged. */
  address: string;
}

export type Draw = (shared: Shared) => Promise<{ status: number; text: string }>;

/**
 * A cache of rendered shared results, limited in bytes. Concurrent requests for the same view share one rendering.
 * Callers must resolve the link first, so that a revoked link shows nothing.
 */
@Injectable()
export class Drawings {
  private readonly ready = new LRUCache<string, Drawn>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }, key) =>
      body.identity.length + body.br.length + body.gzip.length + 2 * key.length + OVERHEAD_BYTES,
  });
  private readonly started = new Map<string, Promise<Drawn>>();
  private readonly queues = {
    page: new DrawingQueue(MOST_WAITING.page),
    part: new DrawingQueue(MOST_WAITING.part),
  };

  constructor(
    private readonly shares: Shares,
    private readonly limit: ShareLimit,
  ) {}

  /** Size of the cache in bytes. */
  get size(): number {
    return this.ready.calculatedSize;
  }

  /**
   * @throws ApiError (429) if the client exceeds the rendering limit, UnavailableError if the queue is full,
   * NotFoundError if the link has been revoked in the meantime, and rendering errors
   */
  async get(shared: Shared, asked: Asked, draw: Draw): Promise<Drawn> {
    const { kind, view, address } = asked;
    if (view === null) {
      this.limit.countDrawing(address, kind);
      return this.queues[kind].run(() => this.draw(shared, null, draw));
    }
    const key = keyOf(shared, view);
    const known = this.ready.get(key) ?? this.started.get(key);
    if (known !== undefined) {
      return known;
    }
    this.limit.countDrawing(address, kind);
    return this.start(key, shared, { ...asked, view }, draw);
  }

  private start(key: string, shared: Shared, asked: Asked & { view: string }, draw: Draw): Promise<Drawn> {
    const drawing = this.queues[asked.kind]
      .run(() => this.draw(shared, asked.view, draw))
      .finally(() => this.started.delete(key));
    this.started.set(key, drawing);
    return drawing;
  }

  /**
   * Several statements read the data. If the data changes between them, the view is rendered again to show a consistent
   * state. After `ATTEMPTS` renderings, the last one is returned even though it may be inconsistent. An inconsistent
   * rendering is not cached.
   */
  private async draw(asOf: Shared, view: string | null, draw: Draw): Promise<Drawn> {
    let shared = asOf;
    for (let attempt = 1; ; attempt += 1) {
      const { status, text } = await draw(shared);
      const now = found(await this.shares.find(shared.token));
      const isWhole = now.version === shared.version;
      if (isWhole || attempt === ATTEMPTS) {
        const key = isWhole && view !== null && status === 200 ? keyOf(shared, view) : null;
        const drawn = { status, body: await codedBody(text), key };
        if (key !== null) {
          this.ready.set(key, drawn);
        }
        return drawn;
      }
      shared = now;
    }
  }
}

/** Identifies a state of a link's data. */
export const keyOf = ({ token, version }: Shared, view: string): string => `${token} ${version} ${view}`;
