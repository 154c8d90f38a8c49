import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { BackgroundLoop } from './background-worker';

const logger = { error: jest.fn() };

it('lets other work run between steps that never wait, as on SQLite', async () => {
  const pending = 100;
  let steps = 0;
  const loop = new BackgroundLoop(logger, 'failed', () => {
    steps += 1;
    return Promise.resolve(steps < pending ? 0 : 60_000);
  });
  loop.start();
  await turn();
  const first = steps;
  for (let turns = 0; turns < pending; turns += 1) {
    await turn();
  }
  await loop.stop();
  expect(first).toBeLessThan(pending);
  expect(steps).toBe(pending);
});

it('does not work in the context of the caller that starts it', async () => {
  const context = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const loop = new BackgroundLoop(logger, 'failed', () => {
    seen.push(context.getStore());
    return Promise.resolve(60_000);
  });
  context.run('request', () => loop.start());
  await loop.stop();
  expect(seen).toEqual([undefined]);
});
