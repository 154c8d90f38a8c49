import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { found } from '../common/errors/api-errors';
import { matchesTag, parseTags, Tags } from '../common/http/etag';
import { contentCoding } from '../common/http/content-coding';
import { Config } from '../config/config';
import { VERSION } from '../config/version';
import { Render, Renderings, keyOf } from './renderings';
import { RenderingKind, ShareLimit } from './share-limit';
import { Shares } from './shares';

/** The view that a request selects, resolved from the link. */
export interface View {
  kind: RenderingKind;
  /** See `Asked` in `renderings.ts`. */
  view: string | null;
  render: Render;
}

/** A request for shared results. */
export interface Asking {
  request: FastifyRequest;
  reply: FastifyReply;
  token: string;
  /** Headers of the response; `ETag` and compression headers are added. */
  headers: Readonly<Record<string, string>>;
}

/** Responds to requests for shared results, from the cache if possible, and with 304 if nothing has changed. */
@Injectable()
export class SharedAnswers {
  private readonly tags: Tags;

  constructor(
    { publicUrl }: Config,
    private readonly shares: Shares,
    private readonly renderings: Renderings,
    private readonly limit: ShareLimit,
  ) {
    this.tags = new Tags(VERSION, publicUrl);
  }

  /**
   * @throws ApiError (429) if a limit is exceeded, NotFoundError for a revoked or unknown link, UnavailableError if the
   * rendering queue is full, and errors from the view and from rendering
   */
  async answer({ request, reply, token, headers }: Asking, viewOf: () => View): Promise<void> {
    this.limit.countRequest(request.ip);
    const shared = found(await this.shares.find(token));
    const { view, kind, render } = viewOf();
    const known = request.headers['if-none-match'];
    const tag = view === null ? null : this.tagOf(keyOf(shared, view));
    if (known !== undefined && tag !== null && matchesTag(parseTags(known), tag)) {
      void reply.status(304).headers(withoutType(headers)).header('etag', `W/${tag}`).send();
      return;
    }
    const rendered = await this.renderings.get(shared, { kind, view, address: request.ip }, render);
    const coding = contentCoding(request.headers['accept-encoding']);
    void reply
      .status(rendered.status)
      .headers({
        ...headers,
        ...(rendered.key === null ? {} : { etag: `W/${this.tagOf(rendered.key)}` }),
        ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
      })
      .send(rendered.body[coding]);
  }

  /** The ETag of a response. It is weak, because all content encodings share it. */
  private tagOf(key: string): string {
    return this.tags.list('shared', createHash('sha256').update(key).digest('base64url').slice(0, 27));
  }
}

function withoutType(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-type'));
}
