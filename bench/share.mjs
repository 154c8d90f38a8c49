import { insertCells, seedShared } from './share-data.mjs';
import { cpuMs, median, rssMegabytes, seedPeople, start, stop } from './machine.mjs';
import { printFigure, printHeadline, printMemory } from './report.mjs';
import { openStore } from './stores.mjs';

/*
 * Measures the shared results page: its cost with and without the cache, and its effect on concurrent decisions.
 */

const COLD_PAGES = 7;
const WARM_PAGES = 100;
const AT_ONCE = 5;
const MAX_COLD_MS = 300;
const MAX_WARM_MS = 20;
const MAX_DECISION_MS = 200;
const MAX_MEGABYTES = 350;

const USUAL = { variations: 8, goals: 12, days: 60, devices: 2 };
const HUGE = { variations: 20, goals: 50, days: 90, devices: 2 };

async function load(address, headers = {}) {
  const began = performance.now();
  const answer = await fetch(address, { headers: { accept: 'text/html', ...headers } });
  const bytes = (await answer.arrayBuffer()).byteLength;
  if (!answer.ok && answer.status !== 304) {
    throw new Error(`${address} answered ${answer.status}`);
  }
  return { ms: performance.now() - began, bytes, etag: answer.headers.get('etag') };
}

/** Size of the response body in bytes, as sent with this content coding. */
async function sentBytes(address, coding) {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/html', 'accept-encoding': coding };
    const asked = request(address, { headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk) => (bytes += chunk.length)).on('end', () => resolve(bytes));
    });
    asked.on('error', reject).end();
  });
}

/** The median CPU time and response time, in milliseconds, when the page is not cached. */
async function measureCold({ child }, { address, touch }) {
  const pages = [];
  for (let page = 0; page <= COLD_PAGES; page += 1) {
    await touch();
    const before = cpuMs(child.pid);
    const { ms } = await load(address);
    pages.push({ ms, cpu: cpuMs(child.pid) - before });
  }
  const measured = pages.slice(1);
  return { cpu: median(measured.map(({ cpu }) => cpu)), ms: median(measured.map(({ ms }) => ms)) };
}

async function measureWarm(address, headers) {
  const times = [];
  for (let page = 0; page < WARM_PAGES; page += 1) {
    times.push((await load(address, headers)).ms);
  }
  return median(times);
}

/** The longest response time of a decision, in milliseconds, while pages with different filters are rendered. */
async function measureDecisions({ address }, shared) {
  await shared.touch();
  let drawing = AT_ONCE;
  const pages = Array.from({ length: AT_ONCE }, (_, index) =>
    load(`${shared.address}?startDate=${shared.days[index]}`).then(() => (drawing -= 1)),
  );
  let longest = 0;
  for (let number = 0; drawing > 0; number += 1) {
    const began = performance.now();
    const answer = await fetch(`${address}/v1/decide`, {
      method: 'POST',
      headers: { 'x-api-key': shared.clientKey, 'content-type': 'application/json' },
      body: JSON.stringify({ user: { id: `visitor-${number}` }, record: false }),
    });
    await answer.arrayBuffer();
    if (!answer.ok) {
      throw new Error(`/v1/decide answered ${answer.status}`);
    }
    longest = Math.max(longest, performance.now() - began);
  }
  await Promise.all(pages);
  return longest;
}

const milliseconds = (label, value, limit) =>
  printFigure(
    label,
    `${value.toFixed(value < 10 ? 1 : 0)} ms`,
    limit === null ? '' : `${limit} ms ${value <= limit ? 'reached' : 'MISSED'}`,
  );

const kilobytes = (label, bytes) => printFigure(label, `${Math.round(bytes / 1024)} KiB`);

async function measurePage(server, shared, isUsual) {
  const { variations, goals, days } = shared.size;
  const size = `${variations} variations, ${goals} goals, ${days} days`;
  const cold = await measureCold(server, shared);
  milliseconds(`${size}: CPU time of a rendered page`, cold.cpu, isUsual ? MAX_COLD_MS : null);
  milliseconds('its response time', cold.ms, null);
  milliseconds('the same page from the cache', await measureWarm(shared.address), MAX_WARM_MS);
  const { etag } = await load(shared.address);
  if (etag !== null) {
    milliseconds('conditional request', await measureWarm(shared.address, { 'if-none-match': etag }), null);
  }
  kilobytes('its size', await sentBytes(shared.address, 'identity'));
  kilobytes('as sent with gzip', await sentBytes(shared.address, 'gzip'));
  milliseconds(
    `longest decision while ${AT_ONCE} pages are rendered`,
    await measureDecisions(server, shared),
    MAX_DECISION_MS,
  );
}

export async function measureShare(name, databaseUrl) {
  const people = seedPeople(databaseUrl);
  const server = await start('dist/src/main.js', databaseUrl, { WORKER: 'off' });
  const store = openStore(databaseUrl);
  try {
    printHeadline(`Shared results, ${name}`, '');
    for (const size of [USUAL, HUGE]) {
      const shared = await seedShared(server.address, people, size);
      await insertCells(store, shared);
      const touch = () =>
        store.run('UPDATE experiment_results SET version = version + 1 WHERE experiment_id = ?', [shared.id]);
      await measurePage(server, { ...shared, touch }, size === USUAL);
    }
    printMemory('memory of the server after the run (RSS)', rssMegabytes(server.child.pid), MAX_MEGABYTES);
  } finally {
    await store.close();
    await stop(server.child);
  }
}
