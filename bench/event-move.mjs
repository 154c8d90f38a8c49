import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH, batchText, insertRows, rowsOf } from './event-rows.mjs';
import { seedExperiment, untilAttributed } from './events.mjs';
import { admin, cpuMs, rssMegabytes, seedPeople, start, startAdmin, stop } from './machine.mjs';
import { missingClickHouse, withOwnClickHouse } from './own-clickhouse.mjs';
import { printFigure, printHeadline } from './report.mjs';
import { openStore } from './stores.mjs';

/* Measures `events:move` with many attributed events while no server is running. */

const EVENTS = Number(process.env.BENCH_MOVED_EVENTS ?? 200_000);
const BATCHES_AT_ONCE = 100;

/** Stores attributed events with random visitor ids, and computes their results. */
async function fill(databaseUrl, store) {
  const people = seedPeople(databaseUrl);
  const server = await start('dist/src/main.js', databaseUrl);
  const scene = await seedExperiment(server.address, people);
  // The first batch goes through the server, which records that the experiment has exposures
  // and that the goal has conversions.
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

/**
 * Runs the command. @returns seconds until all events are copied and until the command ends, its CPU seconds, and its
 * peak memory
 */
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

/** Prints the speed and the resource usage of a move. Skipped if ClickHouse is not installed. */
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
