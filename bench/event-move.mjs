import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH, batchText, insertRows, rowsOf } from './event-rows.mjs';
import { seedExperiment, untilAttributed } from './events.mjs';
import { admin, cpuMs, rssMegabytes, seedPeople, start, startAdmin, stop } from './machine.mjs';
import { missingClickHouse, withOwnClickHouse } from './own-clickhouse.mjs';
import { printFigure, printHeadline } from './report.mjs';
import { openStore } from './stores.mjs';

/* `events:move` with many attributed events, and without a running server. */

const EVENTS = Number(process.env.BENCH_MOVED_EVENTS ?? 200_000);
const BATCHES_AT_ONCE = 100;

/** Stores attributed events of random visitors, and counts their results. */
async function fill(databaseUrl, store) {
  const people = seedPeople(databaseUrl);
  const server = await start('dist/src/main.js', databaseUrl);
  const scene = await seedExperiment(server.address, people);
  // The server records names that it sees for the first time.
  const body = batchText(scene, randomUUID);
  const headers = { 'content-type': 'application/json' };
  await fetch(`${server.address}/v1/batch`, { method: 'POST', headers, body });
  await untilAttributed(store);
  await stop(server.child);
  for (let rows = BATCH; rows < EVENTS;) {
    const batches = Array.from({ length: BATCHES_AT_ONCE }, () => batchText(scene, randomUUID));
    const group = batches.flatMap((batch) => rowsOf(scene, batch)).slice(0, EVENTS - rows);
    await insertRows(store, group, databaseUrl.startsWith('sqlite:'), true);
    rows += group.length;
  }
  admin(databaseUrl, 'results:rebuild');
}

/** Seconds until all events were copied and until the comparison was done, and the resources of the process. */
async function move(databaseUrl, eventsUrl, store) {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const command = startAdmin(databaseUrl, ['events:move'], { EVENTS_URL: eventsUrl });
  const ended = new Promise((resolve) => command.once('exit', resolve));
  let [copied, cpu, megabytes] = [null, 0, 0];
  while (command.exitCode === null) {
    cpu = Math.max(cpu, cpuMs(command.pid) / 1000);
    megabytes = Math.max(megabytes, rssMegabytes(command.pid));
    const [state] = await store.rows('SELECT events FROM event_moves');
    copied ??= Number(state?.events) === EVENTS ? seconds() : null;
    await Promise.race([ended, sleep(100)]);
  }
  if (command.exitCode !== 0) {
    throw new Error('events:move has failed.');
  }
  return { copied, all: seconds(), cpu, megabytes };
}

/** Prints the duration of a move, if ClickHouse is installed. */
export async function measureEventMove(name, databaseUrl) {
  const missing = missingClickHouse();
  if (missing !== null) {
    console.log(missing);
    return;
  }
  const store = openStore(databaseUrl);
  try {
    await fill(databaseUrl, store);
    await withOwnClickHouse(async ({ url, pid }) => {
      const before = cpuMs(pid);
      const { copied, all, cpu, megabytes } = await move(databaseUrl, url, store);
      printHeadline(`events:move, ${name}, ${EVENTS.toLocaleString('en-US')} events`, '');
      printFigure('events per second', (EVENTS / all).toFixed(0));
      printFigure('... copied', (EVENTS / copied).toFixed(0));
      printFigure('... compared, with the results', (EVENTS / (all - copied)).toFixed(0));
      printFigure('CPU seconds of the command', cpu.toFixed(0));
      printFigure('... of ClickHouse', ((cpuMs(pid) - before) / 1000).toFixed(0));
      printFigure('memory of the command, MB', String(megabytes));
    });
  } finally {
    await store.close();
  }
}
