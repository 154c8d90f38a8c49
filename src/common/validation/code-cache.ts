import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

export const MAX_CACHE_BYTES = 32 * 1024 * 1024;
const BYTES_OF_CHARACTER = 2;
/** The key, which contains a hash instead of the code, and the entry itself. */
const ENTRY_BYTES = 512;

/** Results of all functions made by `cachedByCode`, for the code of all projects. Limited in bytes. */
const results = new LRUCache<string, { result: unknown; size: number }>({
  maxSize: MAX_CACHE_BYTES,
  sizeCalculation: ({ size }) => size,
});

/**
 * Caches the most recently used results of a pure function of code, such as parsing it. The entries never become stale.
 * @param name unique name of the function
 * @param work returns a result that takes up about as much memory as the code, or less
 */
export function cachedByCode<T>(name: string, work: (code: string) => T): (code: string) => T {
  return (code) => {
    // In UTF-8, different unpaired surrogates would have the same hash.
    const key = name + createHash('sha256').update(code, 'utf16le').digest('base64');
    const known = results.get(key);
    if (known !== undefined) {
      return known.result as T;
    }
    const result = work(code);
    results.set(key, { result, size: ENTRY_BYTES + BYTES_OF_CHARACTER * code.length });
    return result;
  };
}
