import { setImmediate as othersTurn } from 'node:timers/promises';

/**
 * The result of the work, or `late` after a timeout. The work then continues, but its result is discarded. A result
 * that arrived while the event loop was busy still counts as on time.
 * @param milliseconds the timeout
 */
export async function inTime<T, L>(work: Promise<T>, milliseconds: number, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<L>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, late), milliseconds).unref();
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Maximum time in milliseconds before yielding to other requests. */
const TURN_MS = 10;

/** The time since others last had a turn. */
class Turn {
  private began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.began > TURN_MS;
  }

  async pass(): Promise<void> {
    await othersTurn();
    this.began = performance.now();
  }
}

/** Iterates over the items, but yields to other requests during long work. For synchronous work, use `mapInTurns`. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  const turn = new Turn();
  for (const item of items) {
    yield item;
    if (turn.isOver) {
      await turn.pass();
    }
  }
}

/** Like `map`, but yields to other requests during long work. Unlike `inTurns`, it creates no promises per item. */
export async function mapInTurns<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  const turn = new Turn();
  for (const item of items) {
    results.push(work(item));
    if (turn.isOver) {
      await turn.pass();
    }
  }
  return results;
}
