import { setImmediate as othersTurn } from 'node:timers/promises';

/** Maximum time on the thread before yielding to other requests. */
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
