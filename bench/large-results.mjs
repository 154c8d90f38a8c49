import { cpuMs, median, request, seedPeople, start, stop } from './machine.mjs';
import { printFigure, printHeadline } from './report.mjs';
import { enter } from './results.mjs';
import { insertCells, seedShared } from './share-data.mjs';
import { openStore } from './stores.mjs';

/* Measures results of a single large experiment. All figures change before each request. */

const SIZE = { variations: 20, goals: 50, days: 90, devices: 1 };
const REQUESTS = 15;
const WARM_UP = 3;

/** @param maxMs the maximum CPU time of the server per request, in milliseconds */
export async function measureLargeResults(name, databaseUrl, maxMs) {
  const people = seedPeople(databaseUrl);
  const server = await start('dist/src/main.js', databaseUrl, { WORKER: 'off' });
  const store = openStore(databaseUrl);
  try {
    const experiment = await seedShared(server.address, people, SIZE);
    await insertCells(store, experiment);
    const touch = enter(store, experiment);
    const times = [];
    for (let number = 0; number < WARM_UP + REQUESTS; number += 1) {
      await touch();
      const before = cpuMs(server.child.pid);
      await request(
        server.address,
        people.token,
        'GET',
        `/projects/${people.filled}/experiments/${experiment.id}/results`,
      );
      times.push(cpuMs(server.child.pid) - before);
    }
    const time = median(times.slice(WARM_UP));
    const { variations, goals, days } = SIZE;
    printHeadline(`Results of ${variations} variations, ${goals} goals and ${days} days, ${name}`, '');
    printFigure(
      'CPU time after a change',
      `${time} ms`,
      `${maxMs} ms ${time <= maxMs ? 'reached' : 'MISSED'}`,
    );
  } finally {
    await store.close();
    await stop(server.child);
  }
}
