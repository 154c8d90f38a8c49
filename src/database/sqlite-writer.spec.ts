import { WritingTurns } from './sqlite-writer';

/** Blocks the event loop like a SQLite transaction, which is synchronous. */
function transaction(): Promise<void> {
  const end = performance.now() + 10;
  while (performance.now() < end);
  return Promise.resolve();
}

/** How often the event loop is free between consecutive transactions, measured with a timer. */
async function gapsBetween(count: number): Promise<number> {
  const turns = new WritingTurns();
  let gaps = 0;
  const gap = setInterval(() => (gaps += 1));
  for (let index = 0; index < count; index += 1) {
    await turns.run(transaction);
  }
  clearInterval(gap);
  return gaps;
}

it('WritingTurns lets other processes write after a turn', async () => {
  expect(await gapsBetween(30)).toBeGreaterThan(0);
});

it('WritingTurns does not pause within a turn', async () => {
  expect(await gapsBetween(5)).toBe(0);
});

it('WritingTurns passes on the result or the failure of a transaction', async () => {
  const turns = new WritingTurns();
  expect(await turns.run(() => Promise.resolve(7))).toBe(7);
  await expect(turns.run(() => Promise.reject(new Error('full')))).rejects.toThrow('full');
  expect(await turns.run(() => Promise.resolve(8))).toBe(8);
});
