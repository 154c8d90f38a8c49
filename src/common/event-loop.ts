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

/** Like `map`, but yields to other requests during long work. */
export async function mapInTurns<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let began = performance.now();
  for (const item of items) {
    results.push(work(item));
    if (performance.now() - began > TURN_MS) {
      await othersTurn();
      began = performance.now();
    }
  }
  return results;
}
