import { Injectable } from '@nestjs/common';
import type { ResolvedRequest } from '../access/scope-resolver';
import { Computed, Created, Download, Listed, Rehearsed, Shown, Untagged } from '../../common/http/answers';
import { Tags } from '../../common/http/etag';
import { linkHeader } from '../../common/lists/pagination';
import { Config } from '../../config/config';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers and body of a response. */
export interface Presented {
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** Converts return values of handlers to headers and bytes. */
@Injectable()
export class Presenter {
  constructor(
    private readonly tags: Tags,
    private readonly config: Config,
  ) {}

  present(answer: unknown, request: ResolvedRequest): Presented {
    const text = answer instanceof Download ? answer.text : JSON.stringify(valueOf(answer));
    const headers = this.headersOf(answer, request);
    const body = Buffer.from(text);
    if (answer instanceof Listed) {
      headers.etag ??= this.tags.content(headers['x-total-count'] ?? '', headers.link ?? '', body);
    }
    return { headers, body };
  }

  /** The ETag of a nested list, such as an experiment's variations, which changes with the parent record. */
  private listTag(request: ResolvedRequest): string {
    const { scope } = request;
    const isBelowRecord = scope !== undefined && 'items' in scope && Object.keys(scope.items).length > 0;
    return isBelowRecord
      ? this.tags.list(`below-${scope.target.id}`, scope.target.version)
      : this.freshTag(request);
  }

  /** The ETag of a response, which changes with everything that the response depends on. */
  private freshTag({ freshness }: ResolvedRequest): string {
    return this.tags.list(freshness?.space ?? '', freshness?.version ?? 0);
  }

  private headersOf(answer: unknown, request: ResolvedRequest): Record<string, string> {
    const headers: Record<string, string> = { 'content-type': JSON_TYPE };
    if (answer instanceof Listed) {
      if (request.freshness !== undefined) {
        headers.etag = this.listTag(request);
      }
      headers['x-total-count'] = String(answer.total);
      const link = linkHeader(`${this.config.publicUrl}${request.url}`, answer.page, answer.total);
      return link === null ? headers : { ...headers, link };
    }
    if (answer instanceof Computed || answer instanceof Download) {
      headers.etag = this.freshTag(request);
    }
    if (answer instanceof Download) {
      headers['content-type'] = answer.contentType;
      headers['content-disposition'] = `attachment; filename="${answer.fileName}"`;
    }
    if (answer instanceof Shown) {
      const { id, version } = answer as Shown<object, number | string>;
      headers.etag = this.tags.record(id, version);
    }
    if (answer instanceof Created) {
      const path = answer.path ?? `${collectionPath(request)}/${answer.id}`;
      headers.location = `${this.config.publicUrl}${path}`;
    }
    return headers;
  }
}

/** The body of a response. */
function valueOf(answer: unknown): unknown {
  if (answer instanceof Listed) {
    return answer.rows;
  }
  if (answer instanceof Computed || answer instanceof Rehearsed || answer instanceof Untagged) {
    return answer.value;
  }
  return answer instanceof Shown ? answer.record : answer;
}

/** The list path of a new record: the request's own path, or `...` for `.../{id}/clone`. */
function collectionPath(request: ResolvedRequest): string {
  const [path = ''] = request.url.split('?');
  return path.replace(/\/\d+\/clone\/?$/, '').replace(/\/$/, '');
}
