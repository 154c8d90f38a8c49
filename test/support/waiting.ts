import { setTimeout as sleep } from 'node:timers/promises';

/** What takes milliseconds may take a minute while the machine does other work. Less than Jest's limit for a test. */
const DEADLINE_MS = 100_000;
const PAUSE_MS = 20;

type Condition = () => boolean | Promise<boolean>;

/** Polls a condition until it is true or the time is over. @returns whether it became true */
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

/** Polls a condition until it is true. @throws Error that names what was awaited, after the deadline */
export async function until(condition: Condition, what = 'a condition'): Promise<void> {
  if (!(await eventually(condition))) {
    throw new Error(`Waited in vain for ${what}.`);
  }
}
