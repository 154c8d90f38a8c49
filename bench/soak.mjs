import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { request, rssMegabytes, seedPeople, start, stop, withMysql, withSqlite } from './machine.mjs';
import { isFlat, plotOf, summaryOf } from './soak-report.mjs';
import { seedSoak, SURFACES } from './soak-load.mjs';

/* `npm run soak -- --minutes 10`: mixed load on one server; memory and latency must stay flat. */

const SAMPLE_MS = 1_000;
const SETTLE_MS = 60_000;

function positive(text) {
  const number = Number(text);
  if (!(number > 0)) {
    throw new InvalidArgumentError('must be a number above 0.');
  }
  return number;
}

const { minutes, mysql, plot } = new Command('soak')
  .description('Puts a server under mixed load and shows its memory and latency over time.')
  .option('--minutes <number>', 'how long', positive, 10)
  .option('--mysql', 'on the MariaDB or MySQL at TEST_DATABASE_URL instead of SQLite', false)
  .option('--plot <file>', 'where the plot goes', 'soak.svg')
  .parse()
  .opts();

/** Sends requests of one kind at a constant rate until the load ends. Skips requests while too many are pending. */
async function drive(surface, scene, load) {
  const pending = new Set();
  while (performance.now() < load.until) {
    const next = performance.now() + 1_000 / surface.perSecond;
    if (pending.size < surface.atOnce) {
      const sent = once(surface, scene, load).finally(() => pending.delete(sent));
      pending.add(sent);
    }
    await sleep(Math.max(0, next - performance.now()));
  }
  await Promise.all(pending);
}

async function once(surface, scene, load) {
  const began = performance.now();
  try {
    const status = await surface.send(scene);
    load.latencies.push(performance.now() - began);
    load.requests += 1;
    if (status >= 400) {
      load.failures.set(
        `${surface.name} ${status}`,
        (load.failures.get(`${surface.name} ${status}`) ?? 0) + 1,
      );
    }
  } catch (error) {
    const reason = `${surface.name} ${error.cause?.code ?? error.message}`;
    load.failures.set(reason, (load.failures.get(reason) ?? 0) + 1);
  }
}

async function sample(load, pid, samples) {
  while (performance.now() < load.until) {
    await sleep(SAMPLE_MS);
    const sorted = load.latencies.splice(0).sort((a, b) => a - b);
    samples.push({
      megabytes: rssMegabytes(pid),
      median: sorted[Math.floor(sorted.length / 2)] ?? 0,
      p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    });
  }
}

/** Waits up to a minute until results include all acknowledged participants. @returns their number in the results */
async function countedParticipants(address, token, { experimentPath, acknowledged }) {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const info = await request(address, token, 'GET', `${experimentPath}/results/info`);
    if (info.participants === acknowledged.size || performance.now() > deadline) {
      return info.participants;
    }
    await sleep(SAMPLE_MS);
  }
}

async function soak(name, databaseUrl) {
  const people = seedPeople(databaseUrl);
  const { child, address } = await start('dist/src/main.js', databaseUrl);
  try {
    const scene = await seedSoak(address, people);
    const until = performance.now() + minutes * 60_000;
    const load = { until, latencies: [], failures: new Map(), requests: 0 };
    const samples = [];
    await Promise.all([
      sample(load, child.pid, samples),
      ...SURFACES.map((surface) => drive(surface, scene, load)),
    ]);
    const participants = await countedParticipants(address, people.token, scene);
    console.log(summaryOf({ name, minutes, load, samples, participants, scene }));
    writeFileSync(plot, plotOf(`${name}, ${minutes} minutes of mixed load`, samples));
    console.log(`The plot is in ${plot}.`);
    return isFlat(samples) && load.failures.size === 0 && participants === scene.acknowledged.size;
  } finally {
    await stop(child);
  }
}

let isGood = false;
await (mysql ? withMysql : withSqlite)(async (url) => {
  isGood = await soak(mysql ? 'MariaDB / MySQL' : 'SQLite', url);
});
process.exit(isGood ? 0 : 1);
