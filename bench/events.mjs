import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { BATCH, batchText, insertRows, rowsOf } from './event-rows.mjs';
import { request, rssMegabytes, seedPeople, start, startWorker, stop } from './machine.mjs';
import { printFigure, printHeadline, printMemory, printRatio } from './report.mjs';
import { SECONDS } from './load.mjs';
import { inTurns } from './rounds.mjs';
import { openStore } from './stores.mjs';

/* Compares collection with bare inserts of the same rows into the same database, then measures event attribution. */

export const CLIENTS = 32;
const KEEPING_UP_SECONDS = 10;
const MAX_GROWTH_MEGABYTES = 60;

/** Creates a running experiment with one goal. */
export async function seedExperiment(address, { token, filled }) {
  const project = `/projects/${filled}`;
  const page = await request(address, token, 'POST', `${project}/pages`, { name: 'Home' });
  const goal = await request(address, token, 'POST', `${project}/goals`, {
    name: 'Order',
    value_type: 'revenue',
  });
  const experiment = await request(address, token, 'POST', `${project}/experiments`, {
    name: 'Button',
    variations: [{ name: 'Grey' }, { name: 'Green' }],
    pages: [page.id],
    goals: [goal.id],
  });
  await request(address, token, 'PATCH', `${project}/experiments/${experiment.id}/status`, {
    status: 'running',
  });
  const { client_key: clientKey } = await request(address, token, 'GET', project);
  return { project: filled, clientKey, experiment, goal };
}

/** Acknowledged events per second. */
async function collect(address, scene, seconds = SECONDS) {
  const result = await autocannon({
    url: address,
    connections: CLIENTS,
    duration: seconds,
    headers: { 'content-type': 'application/json' },
    requests: [
      {
        method: 'POST',
        path: '/v1/batch',
        setupRequest: (prepared) => ({ ...prepared, body: batchText(scene) }),
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} refused and ${result.errors} failed batches`);
  }
  return (result['2xx'] * BATCH) / result.duration;
}

/**
 * Inserted events per second without a server.
 * @param batches number of batches per transaction
 * @param parallel number of concurrent transactions; ignored on SQLite, which has only one writer
 */
async function insert(store, scene, isSqlite, { batches, parallel }) {
  const began = performance.now();
  let rows = 0;
  const loop = async () => {
    while (performance.now() - began < SECONDS * 1000) {
      const group = Array.from({ length: batches }, () => rowsOf(scene, batchText(scene))).flat();
      await insertRows(store, group, isSqlite);
      rows += group.length;
    }
  };
  await Promise.all(Array.from({ length: isSqlite ? 1 : parallel }, loop));
  return (rows / (performance.now() - began)) * 1000;
}

const count = async (store, table) =>
  Number((await store.rows(`SELECT COUNT(*) AS count FROM ${table}`))[0].count);

/** Waits until all events are attributed. @returns the duration in seconds */
export async function untilAttributed(store) {
  const began = performance.now();
  while ((await count(store, 'dirty_visitors')) > 0) {
    await sleep(50);
  }
  return (performance.now() - began) / 1000;
}

async function measureCollection(server, store, scene, isSqlite, goals) {
  const against = (options) =>
    inTurns({
      server: () => collect(server.address, scene),
      bare: () => insert(store, scene, isSqlite, options),
    });
  printRatio(
    `against ${CLIENTS} inserting batches of ${BATCH}, without HTTP`,
    goals.collect,
    await against({ batches: 1, parallel: CLIENTS }),
  );
  printRatio(
    `against one inserting ${CLIENTS * BATCH} rows at once, without HTTP`,
    null,
    await against({ batches: CLIENTS, parallel: 1 }),
  );
}

async function measureAttribution(databaseUrl, store) {
  const events = Number(
    (await store.rows('SELECT COUNT(*) AS count FROM events WHERE attributed = 0'))[0].count,
  );
  const worker = startWorker(databaseUrl);
  const seconds = await untilAttributed(store);
  await stop(worker);
  printFigure(`attributed by one worker (${events} events)`, (events / seconds).toFixed(0));
}

async function measureKeepingUp(databaseUrl, store, scene) {
  const server = await start('dist/src/main.js', databaseUrl, { WORKER: 'inline' });
  await collect(server.address, scene);
  await untilAttributed(store);
  const before = rssMegabytes(server.child.pid);
  const speed = await collect(server.address, scene, KEEPING_UP_SECONDS);
  const behind = await count(store, 'dirty_visitors');
  const seconds = await untilAttributed(store);
  const after = rssMegabytes(server.child.pid);
  await stop(server.child);
  printFigure('acknowledged while the worker runs in the same process', speed.toFixed(0));
  printFigure(
    `... visitors behind after ${KEEPING_UP_SECONDS} s of that, and seconds to catch up`,
    `${behind}, ${seconds.toFixed(1)}`,
  );
  printMemory(
    `... growth of memory over these ${KEEPING_UP_SECONDS} s`,
    after - before,
    MAX_GROWTH_MEGABYTES,
  );
}

/** @param goals required ratios to bare inserts */
export async function measureEvents(name, databaseUrl, goals) {
  const people = seedPeople(databaseUrl);
  const server = await start('dist/src/main.js', databaseUrl, { WORKER: 'off' });
  const store = openStore(databaseUrl);
  try {
    const scene = await seedExperiment(server.address, people);
    printHeadline(`Collection, ${name}, ${CLIENTS} clients with batches of ${BATCH}`, 'events per second');
    await measureCollection(server, store, scene, databaseUrl.startsWith('sqlite:'), goals);
    await stop(server.child);
    await measureAttribution(databaseUrl, store);
    await measureKeepingUp(databaseUrl, store, scene);
  } finally {
    await store.close();
    server.child.kill('SIGTERM');
  }
}
