import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from './errors';

const PATIENCE_MS = 10_000;
const MAX_PAUSE_MS = 20;

/** Does the work again while another transaction or process is in its way, for up to ten seconds. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) {
        throw error;
      }
      await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }
}
