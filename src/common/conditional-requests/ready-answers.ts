import { LRUCache } from 'lru-cache';

/** A version: a number, or several numbers with other values on which the response depends. */
export type Version = number | string;

/** A cached response. */
export interface ReadyAnswer {
  /** The version of the space from which the response was built. */
  version: Version;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

const MAX_BYTES = 32 * 1024 * 1024;
const OVERHEAD_BYTES = 512;

/**
 * The response cache of this process, limited in bytes. An entry is used only if its version equals the current version
 * in the database, so it is never stale, whichever process wrote.
 */
export class ReadyAnswers {
  private readonly cache = new LRUCache<string, ReadyAnswer>({
    maxSize: MAX_BYTES,
    sizeCalculation: (answer, key) => answer.body.length + key.length + OVERHEAD_BYTES,
  });

  /** @param space the records that the version counts, such as `project:12:goals` */
  find(space: string, url: string, version: Version): ReadyAnswer | null {
    const answer = this.cache.get(`${space} ${url}`);
    return answer?.version === version ? answer : null;
  }

  keep(space: string, url: string, answer: ReadyAnswer): void {
    this.cache.set(`${space} ${url}`, answer);
  }
}
