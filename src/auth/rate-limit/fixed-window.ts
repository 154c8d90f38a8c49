/** Length of every window, in milliseconds. */
export const WINDOW_MS = 60_000;

const MAX_KEYS = 100_000;

/** What is known about a window right after a hit. */
export interface WindowState {
  /** Hits counted in the window so far, the last one included. */
  hits: number;
  /** When the window ends: Unix time in milliseconds. */
  resetAt: number;
}

/** Counts hits per key in fixed windows of one minute; a key's window begins with its first hit. */
export interface RateWindow {
  /** Counts one hit, opening a window when none is open. */
  hit(key: string): Promise<WindowState> | WindowState;
  /**
   * Takes one hit back, unless its window is over.
   * @param resetAt end of the window the hit was counted in, as `hit` returned it (Unix milliseconds)
   * @returns whether a hit was taken back
   */
  refund(key: string, resetAt: number): Promise<boolean> | boolean;
}

/** Counts in the memory of this process, without timers and for a bounded number of keys. */
export class FixedWindowCounter implements RateWindow {
  /**
   * All windows are equally long, so insertion order is, but for a clock set back, the order in which they
   * end.
   */
  private readonly windows = new Map<string, WindowState>();

  /**
   * @param now clock, Unix time in milliseconds
   * @param maxKeys most windows held at once; beyond it the oldest are forgotten
   */
  constructor(
    private readonly now: () => number = Date.now,
    private readonly maxKeys: number = MAX_KEYS,
  ) {}

  /** Number of windows held, among them some that are over but not yet swept. */
  get size(): number {
    return this.windows.size;
  }

  /** Counts one hit, opening a window when none is open. */
  hit(key: string): WindowState {
    const now = this.now();
    const known = this.windows.get(key);
    const window = known && isOpen(known, now) ? known : this.open(key, now);
    window.hits += 1;
    return { ...window };
  }

  /** Takes one hit back from the window that ends at `resetAt` (Unix milliseconds), if it is still open. */
  refund(key: string, resetAt: number): boolean {
    const window = this.windows.get(key);
    if (!window || window.resetAt !== resetAt || !isOpen(window, this.now()) || window.hits === 0) {
      return false;
    }
    window.hits -= 1;
    return true;
  }

  private open(key: string, now: number): WindowState {
    this.sweep(now);
    const window = { hits: 0, resetAt: now + WINDOW_MS };
    this.windows.set(key, window);
    return window;
  }

  private sweep(now: number): void {
    for (const [key, window] of this.windows) {
      if (isOpen(window, now) && this.windows.size < this.maxKeys) return;
      this.windows.delete(key);
    }
  }
}

/**
 * A window that ends more than its length ahead is one the clock was set back from, and would block for too
 * long.
 */
function isOpen(window: WindowState, now: number): boolean {
  return now < window.resetAt && window.resetAt - now <= WINDOW_MS;
}
