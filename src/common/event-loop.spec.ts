import { stat } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTime } from './event-loop';

const statOf = (path: string): Promise<string> =>
  new Promise((resolve) => stat(path, () => resolve('in time')));

it('returns the result of work that ends before the timeout', async () => {
  expect(await inTime(statOf('/'), 60_000, 'late')).toBe('in time');
});

it('does not wait for work that takes longer', async () => {
  expect(await inTime(new Promise(() => undefined), 1, 'late')).toBe('late');
});

it('returns a result that arrived while the event loop was busy', async () => {
  // After this turn, the event loop runs its timers before it polls for I/O.
  await nextTurn();
  const answer = inTime(statOf('/'), 1, 'late');
  const end = performance.now() + 100;
  while (performance.now() < end);
  expect(await answer).toBe('in time');
});
