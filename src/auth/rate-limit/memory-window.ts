import { LRUCache } from 'lru-cache';
import { bounded, type Hit, type RateWindow, WINDOW_MS } from './rate-window';

const MAX_KEYS = 50_000;

interface Window {
  hits: number;
  /** Unix milliseconds. */
  resetAt: number;
}

/**
 * Counts in the memory of this process, for a bounded number of keys. The library's memory limiter is not used, because
 * its number of keys is unbounded and its API is asynchronous: delivery counts every request synchronously.
 */
export class MemoryWindow implements RateWindow {
  private readonly windows: LRUCache<string, Window>;

  /** @param maxKeys maximum number of windows; beyond it, the least recently hit ones are evicted */
  constructor(maxKeys: number = MAX_KEYS) {
    // With `max` the library would allocate all places at once: 50,000 take 1 MB and 6 ms for each of the counters.
    this.windows = new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 });
  }

  /** Number of keys held, including keys with expired windows. */
  get size(): number {
    return this.windows.size;
  }

  /**
   * Counts hits, and opens a window if none is open.
   * @param count how many hits, a positive integer
   */
  hit(key: string, count = 1): Hit {
    const name = bounded(key);
    const window = this.openWindow(name);
    window.hits += count;
    const refund = (): boolean => {
      const isOpen = window.resetAt > Date.now() && this.windows.peek(name) === window;
      window.hits -= isOpen ? count : 0;
      return isOpen;
    };
    return { hits: window.hits, resetAt: window.resetAt, refund };
  }

  /** Replaces the local count by the count of a window that ends at `resetAt` (Unix milliseconds). */
  goOnFrom(key: string, hits: number, resetAt: number): void {
    if (resetAt > Date.now()) {
      this.windows.set(bounded(key), { hits, resetAt });
    }
  }

  /** A window that ends later than a new one would was opened before the system clock was set back. */
  private openWindow(name: string): Window {
    const now = Date.now();
    const known = this.windows.get(name);
    if (known !== undefined && known.resetAt > now && known.resetAt <= now + WINDOW_MS) {
      return known;
    }
    const window = { hits: 0, resetAt: now + WINDOW_MS };
    this.windows.set(name, window);
    return window;
  }
}
