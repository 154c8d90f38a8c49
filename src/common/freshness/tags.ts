import { createHash, randomUUID } from 'node:crypto';

/**
 * Makes ETags from version numbers. Everything else that answers depend on (the release, how the server is
 * reached) goes into a prefix, so that a tag from before an upgrade never matches.
 */
export class Tags {
  private readonly prefix: string;

  constructor(...generation: string[]) {
    this.prefix = createHash('sha256').update(generation.join('\n')).digest('hex').slice(0, 8);
  }

  /** Tag of one record. */
  record(id: number, version: number): string {
    return `"${this.prefix}-${id}.${version}"`;
  }

  /** Tag of a list or of what is computed; the space names what of. */
  list(space: string, version: number | string): string {
    return `"${this.prefix}-${space}-${version}"`;
  }

  /** Tag of an answer that is never given again. */
  once(): string {
    return `"${this.prefix}-${randomUUID()}"`;
  }
}

/** The tags of an `If-Match` or `If-None-Match` header; proxies that compress mark strong tags as weak. */
export function parseTags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}

export function matchesTag(tags: readonly string[], tag: string): boolean {
  return tags.includes('*') || tags.includes(tag);
}
