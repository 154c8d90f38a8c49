import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InFlight, SerialQueue } from '../common/concurrency';
import { found, UnavailableError } from '../common/errors/api-errors';
import { codedBody, CodedBody } from '../common/http/content-coding';
import { RenderingKind, ShareLimit } from './share-limit';
import { Shared, Shares } from './shares';

const RETRY_AFTER_SECONDS = 5;

const overloaded = (): Error => new UnavailableError(RETRY_AFTER_SECONDS);

const MAX_BYTES = 32 * 1024 * 1024;
const OVERHEAD_BYTES = 1_024;
/** Queue sizes differ because a browser requests many images at once, but only one page. */
const MOST_WAITING = { page: 20, part: 200 } as const;
const ATTEMPTS = 3;

/** A response with shared results. */
export interface Rendered {
  status: number;
  body: CodedBody;
  /** Identifies the state shown; null if the response has no ETag. */
  key: string | null;
}

/** The requested view. */
export interface Asked {
  kind: RenderingKind;
  /** Cache key within a link, consisting of view and filter. If it is null, the response is not cached. */
  view: string | null;
  /** The client whose rate limit is charged. */
  address: string;
}

export type Render = (shared: Shared) => Promise<{ status: number; text: string }>;

/**
 * A cache of rendered shared results, limited in bytes. Concurrent requests for the same view share one rendering.
 * Callers must resolve the link first, so that a revoked link shows nothing.
 */
@Injectable()
export class Renderings {
  private readonly ready = new LRUCache<string, Rendered>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }, key) =>
      body.identity.length + body.br.length + body.gzip.length + 2 * key.length + OVERHEAD_BYTES,
  });
  private readonly started = new InFlight<Rendered>();
  /** They render one view at a time, so that many requests do not block the server. */
  private readonly queues = {
    page: new SerialQueue(MOST_WAITING.page, overloaded),
    part: new SerialQueue(MOST_WAITING.part, overloaded),
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
  async get(shared: Shared, asked: Asked, render: Render): Promise<Rendered> {
    const { kind, view, address } = asked;
    if (view === null) {
      this.limit.countRendering(address, kind);
      return this.queues[kind].run(() => this.render(shared, null, render));
    }
    const key = keyOf(shared, view);
    const known = this.ready.get(key) ?? this.started.find(key);
    if (known !== undefined) {
      return known;
    }
    this.limit.countRendering(address, kind);
    return this.started.start(key, () => this.queues[kind].run(() => this.render(shared, view, render)));
  }

  /**
   * Several statements read the data. If the data changes between them, the view is rendered again to show a consistent
   * state. After `ATTEMPTS` renderings, the last one is returned even though it may be inconsistent. An inconsistent
   * rendering is not cached.
   */
  private async render(asOf: Shared, view: string | null, render: Render): Promise<Rendered> {
    let shared = asOf;
    for (let attempt = 1; ; attempt += 1) {
      const { status, text } = await render(shared);
      const now = found(await this.shares.find(shared.token));
      const isWhole = now.version === shared.version;
      if (isWhole || attempt === ATTEMPTS) {
        const key = isWhole && view !== null && status === 200 ? keyOf(shared, view) : null;
        const rendered = { status, body: await codedBody(text), key };
        if (key !== null) {
          this.ready.set(key, rendered);
        }
        return rendered;
      }
      shared = now;
    }
  }
}

/** Identifies a state of a link's data. */
export const keyOf = ({ token, version }: Shared, view: string): string => `${token} ${version} ${view}`;
