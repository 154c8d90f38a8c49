import { median, request, rssMegabytes, seedPeople, start, stop } from './machine.mjs';
import { printFigure, printHeadline, printMemory } from './report.mjs';

/*
 * Measures the time from starting a server on an existing database to its first API response, and its memory at that
 * point.
 */

const STARTS = 5;

/** Prints the medians. `milliseconds` and `megabytes` are the goals. */
export async function measureStart(name, databaseUrl, { milliseconds, megabytes }) {
  const { token, listed } = seedPeople(databaseUrl);
  const times = [];
  const sizes = [];
  for (let count = 0; count < STARTS; count += 1) {
    const began = performance.now();
    const { address, child } = await start('dist/src/main.js', databaseUrl);
    await request(address, token, 'GET', `/projects/${listed}`);
    times.push(performance.now() - began);
    sizes.push(rssMegabytes(child.pid));
    await stop(child);
  }
  printHeadline(`Start, ${name}`, '');
  const taken = median(times);
  const verdict = `${milliseconds} ms ${taken < milliseconds ? 'reached' : 'MISSED'}`;
  printFigure('start to the first answer', `${taken.toFixed(0)} ms`, verdict);
  printMemory('memory after it (RSS)', median(sizes), megabytes);
}
