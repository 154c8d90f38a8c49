import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Work that usually takes milliseconds can take a minute on a busy machine. The deadline is shorter than Jest's test
 * timeout.
 */
const DEADLINE_MS = 100_000;
const PAUSE_MS = 20;

type Condition = () => boolean | Promise<boolean>;

/** Polls a condition until it is true or the time is up. @returns whether it became true */
export async function eventually(condition: Condition, withinMs = DEADLINE_MS): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      return false;
    }
    await sleep(PAUSE_MS);
  }
  return true;
}

/** Polls a condition until it is true. @throws Error after the deadline, with a description of the condition */
export async function until(condition: Condition, what = 'a condition'): Promise<void> {
  if (!(await eventually(condition))) {
    throw new Error(`Waited in vain for ${what}.`);
  }
}
