import { LRUCache } from 'lru-cache';

/** How often something has changed: a number, or several with what else an answer depends on. */
export type Version = number | string;

/** An answer whose bytes are ready to send. */
export interface ReadyAnswer {
  /** The version of the space that the answer was built from. */
  version: Version;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

const MAX_BYTES = 32 * 1024 * 1024;
const OVERHEAD_BYTES = 512;

/**
 * Ready answers of this process, bounded in bytes. An entry is used only while the version that the database has
 * now is the one it was built from, so it cannot be stale whichever process wrote.
 */
export class ReadyAnswers {
  private readonly cache = new LRUCache<string, ReadyAnswer>({
    maxSize: MAX_BYTES,
    sizeCalculation: (answer, key) => answer.body.length + key.length + OVERHEAD_BYTES,
  });

  /** @param space what the version counts the changes of, such as `project:12:goals` */
  find(space: string, url: string, version: Version): ReadyAnswer | null {
    const answer = this.cache.get(`${space} ${url}`);
    return answer?.version === version ? answer : null;
  }

  keep(space: string, url: string, answer: ReadyAnswer): void {
    this.cache.set(`${space} ${url}`, answer);
  }
}
