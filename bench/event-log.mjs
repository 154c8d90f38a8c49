import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { BATCH, batchText } from './event-rows.mjs';
import { CLIENTS, seedExperiment } from './events.mjs';
import { admin, cpuMs, seedPeople, start, startWorker, stop } from './machine.mjs';
import { missingClickHouse, withOwnClickHouse } from './own-clickhouse.mjs';
import { withOwnMariaDb } from './own-mariadb.mjs';
import { openStore } from './stores.mjs';

/*
 * Measures a large event log in MariaDB with a buffer pool that is larger than the log, in MariaDB with a much smaller
 * buffer pool, and in ClickHouse if its engine is installed. Ratios are relative to the first measurement. Visitor ids
 * are random, as in browsers, so each new visitor is stored on a different page of the table.
 */

const EVENTS = Number(process.env.BENCH_EVENTS ?? 5_000_000);
/** The logs to measure, as comma-separated names. Default: all. */
const ONLY = process.env.BENCH_LOGS?.split(',') ?? [];
/** Approximate size of an event in the table, used to compute the pool sizes. */
const EVENT_BYTES = 300;
const SLICES = 10;
const MEGABYTE = 1024 * 1024;
const MILLION = 1_000_000;

const logMegabytes = Math.ceil((EVENTS * EVENT_BYTES) / MEGABYTE);
const POOLS = {
  'in memory': Number(process.env.BENCH_POOL_MB ?? Math.max(256, logMegabytes * 2)),
  'larger than memory': Number(process.env.BENCH_SMALL_POOL_MB ?? Math.max(8, Math.floor(logMegabytes / 6))),
};

/** Buffer pool size, in MB, of the main database when events are in ClickHouse. */
const CLICKHOUSE_POOL = 128;

const UNLIMITED = { WORKER: 'off', EVENTS_PER_MINUTE: '0', DELIVERY_LIMIT_PER_MINUTE: '0' };

/** Sends about this many events. @returns acknowledged events per second */
async function collect(address, scene, events) {
  const requests = [
    {
      method: 'POST',
      path: '/v1/batch',
      setupRequest: (prepared) => ({ ...prepared, body: batchText(scene, randomUUID) }),
    },
  ];
  const result = await autocannon({
    url: address,
    connections: CLIENTS,
    amount: Math.max(CLIENTS, Math.ceil(events / BATCH)),
    timeout: 60,
    headers: { 'content-type': 'application/json' },
    requests,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} refused and ${result.errors} failed batches`);
  }
  return (result['2xx'] * BATCH) / result.duration;
}

/** Runs the work. @returns its duration and the CPU time of processes by name, both in seconds */
async function timed(pids, work) {
  const used = () => Object.entries(pids).map(([name, pid]) => [name, cpuMs(pid) / 1000]);
  const [began, before] = [performance.now(), new Map(used())];
  await work();
  const cpu = Object.fromEntries(used().map(([name, seconds]) => [name, seconds - before.get(name)]));
  return { seconds: (performance.now() - began) / 1000, cpu };
}

async function measureCollection({ url, pids, environment }, people) {
  const server = await start('dist/src/main.js', url, { ...UNLIMITED, ...environment });
  try {
    const scene = await seedExperiment(server.address, people);
    const speeds = [];
    const cost = await timed({ server: server.child.pid, ...pids }, async () => {
      for (let slice = 0; slice < SLICES; slice += 1) {
        speeds.push(await collect(server.address, scene, EVENTS / SLICES));
      }
    });
    return { cost, first: speeds[0], last: speeds.at(-1) };
  } finally {
    await stop(server.child);
  }
}

/** @param waiting a statement that returns a row as long as events are pending */
async function measureAttribution({ url, pids, environment, waiting }, store) {
  const worker = startWorker(url, environment);
  try {
    return await timed({ server: worker.pid, ...pids }, async () => {
      while ((await store.rows(waiting)).length > 0) {
        if (worker.exitCode !== null) {
          throw new Error('The worker has ended.');
        }
        await sleep(100);
      }
    });
  } finally {
    await stop(worker);
  }
}

/** @param megabytes buffer pool size @param place the event log to measure */
async function measureLog(megabytes, place) {
  admin(place.url, 'db:migrate');
  const people = seedPeople(place.url);
  const store = openStore(place.url);
  try {
    const collected = await measureCollection(place, people);
    const { events, bytes } = await place.size(store);
    const attributed = await measureAttribution(place, store);
    const perMillion = (seconds = 0) => (seconds * MILLION) / events;
    const all = ({ cpu }) => Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);
    return {
      'buffer pool, MB': megabytes,
      'table, MB': bytes / MEGABYTE,
      'bytes per event on disk': bytes / events,
      'events acknowledged per second': events / collected.cost.seconds,
      '... the first tenth': collected.first,
      '... the last tenth': collected.last,
      'CPU seconds per million events, server': perMillion(collected.cost.cpu.server),
      '... database': perMillion(collected.cost.cpu.database),
      '... ClickHouse': perMillion(collected.cost.cpu.clickhouse),
      'events attributed per second': events / attributed.seconds,
      'CPU seconds per million events attributed, worker': perMillion(attributed.cpu.server),
      '... by the database': perMillion(attributed.cpu.database),
      '... by ClickHouse': perMillion(attributed.cpu.clickhouse),
      '... in total': perMillion(all(attributed)),
    };
  } finally {
    await store.close();
  }
}

/** Measures a log in MariaDB with this buffer pool size. @returns figures by label */
async function measurePool(megabytes) {
  let figures;
  await withOwnMariaDb(megabytes, async ({ url, pid, bytesOf }) => {
    figures = await measureLog(megabytes, {
      url,
      pids: { database: pid },
      environment: {},
      waiting: 'SELECT 1 AS waiting FROM dirty_visitors LIMIT 1',
      size: async (store) => {
        const [{ count }] = await store.rows('SELECT COUNT(*) AS count FROM events');
        return { events: Number(count), bytes: bytesOf('events') };
      },
    });
  });
  return figures;
}

/** Measures a log in ClickHouse, with all other data in MariaDB. @returns figures by label */
async function measureClickHouse() {
  let figures;
  await withOwnClickHouse(({ url: eventsUrl, pid: engine, rows }) =>
    withOwnMariaDb(CLICKHOUSE_POOL, async ({ url, pid }) => {
      figures = await measureLog(CLICKHOUSE_POOL, {
        url,
        pids: { database: pid, clickhouse: engine },
        environment: { EVENTS_URL: eventsUrl },
        waiting: 'SELECT 1 AS waiting FROM event_batches WHERE state < 2 LIMIT 1',
        size: async () => {
          const [size] = await rows(
            "SELECT sum(rows) AS events, sum(bytes_on_disk) AS bytes FROM system.parts WHERE table = 'events' AND active",
          );
          return size;
        },
      });
    }),
  );
  return figures;
}

const LABEL = 48;
const COLUMN = 20;
const shown = (value) => value.toFixed(value < 100 ? 1 : 0);

function print(columns) {
  const [names, figures] = [Object.keys(columns), Object.values(columns)];
  const line = (label, values) =>
    console.log(label.padEnd(LABEL) + values.map((value) => value.padStart(COLUMN)).join(''));
  line('', [names[0], ...names.slice(1).flatMap((name) => [name, 'ratio'])]);
  for (const label of Object.keys(figures[0])) {
    const [first, ...others] = figures.map((each) => each[label]);
    const ratio = (value) => (first === 0 ? '' : (value / first).toFixed(2));
    line(label, [shown(first), ...others.flatMap((value) => [shown(value), ratio(value)])]);
  }
}

const load = () => loadavg()[0].toFixed(1);

/** Prints the figures of all measured logs side by side, and the load average of the machine. */
export async function measureEventLog() {
  console.log(
    `\nAn event log of ${EVENTS.toLocaleString('en-US')} events, ${CLIENTS} clients with batches of ${BATCH}`,
  );
  const columns = {};
  const before = load();
  const logs = Object.entries(POOLS).map(([name, megabytes]) => [name, () => measurePool(megabytes)]);
  const missing = missingClickHouse();
  if (missing === null) {
    logs.push(['ClickHouse', measureClickHouse]);
  } else {
    console.log(missing);
  }
  for (const [name, measure] of logs.filter(([name]) => ONLY.length === 0 || ONLY.includes(name))) {
    columns[name] = await measure();
    console.log(`${name}: ${shown(columns[name]['events acknowledged per second'])} events per second`);
  }
  print(columns);
  console.log(`load average before and after: ${before}, ${load()}`);
}
