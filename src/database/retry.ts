import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from './errors';

const TIMEOUT_MS = 10_000;

/** The longest delay before a retry, in milliseconds. */
export const MAX_RETRY_PAUSE_MS = 20;

/**
 * Runs the work, and retries it on conflicts with other transactions or processes.
 * @param timeout in milliseconds
 */
export async function retryTransient<T>(work: () => Promise<T>, timeout = TIMEOUT_MS): Promise<T> {
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) {
        throw error;
      }
      await sleep(Math.random() * MAX_RETRY_PAUSE_MS);
    }
  }
}
