import { createHash } from 'node:crypto';

/**
 * Builds ETags from version numbers. A prefix covers everything else that responses depend on (such as the release and
 * the public URL), so an ETag from before an upgrade never matches.
 */
export class Tags {
  private readonly prefix: string;

  constructor(...generation: string[]) {
    this.prefix = createHash('sha256').update(generation.join('\n')).digest('hex').slice(0, 8);
  }

  /** ETag of one record. @param version a counter, or a hash of the record */
  record(id: number, version: number | string): string {
    return `"${this.prefix}-${id}.${version}"`;
  }

  /** ETag of a list or a computed result, identified by `space`. */
  list(space: string, version: number | string): string {
    return `"${this.prefix}-${space}-${version}"`;
  }

  /** ETag of a response without a version, computed from the response itself. */
  content(...parts: (string | Buffer)[]): string {
    const hash = createHash('sha256');
    parts.forEach((part) => hash.update(part).update('\n'));
    return `"${this.prefix}-${hash.digest('hex').slice(0, 32)}"`;
  }
}

/**
 * The ETags in an `If-Match` or `If-None-Match` header. Weak tags count as strong, because proxies that compress
 * responses mark strong tags as weak.
 */
export function parseTags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}

export function matchesTag(tags: readonly string[], tag: string): boolean {
  return tags.includes('*') || tags.includes(tag);
}
