import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import { insertRows } from './event-rows.mjs';
import { request, rssMegabytes, seedPeople, start, startWorker, stop } from './machine.mjs';
import { printFigure, printHeadline, printMemory, printRatio } from './report.mjs';
import { fire } from './load.mjs';
import { changedRounds, inTurns } from './rounds.mjs';
import { openStore } from './stores.mjs';

/* Compares results of many events with results of few events, and both with a bare handler that sums the same cells. */

const SIZES = [10_000, 1_000_000];
const PER_VISITOR = 5;
const DAYS = 28;
const DAY_MICROS = 86_400_000_000;
const GROUP_VISITORS = 200;
const MAX_RATIO = 1.3;
const MAX_MEGABYTES = 180;

async function seedExperiment(address, { token, filled }, name) {
  const project = `/projects/${filled}`;
  const page = await request(address, token, 'POST', `${project}/pages`, { name });
  const goal = await request(address, token, 'POST', `${project}/goals`, { name, value_type: 'revenue' });
  const made = await request(address, token, 'POST', `${project}/experiments`, {
    name,
    variations: [{ name: 'Grey' }, { name: 'Green' }],
    pages: [page.id],
    goals: [goal.id],
  });
  await request(address, token, 'PATCH', `${project}/experiments/${made.id}/status`, { status: 'running' });
  return { project: filled, goal: goal.id, id: made.id, variations: made.variations.map(({ id }) => id) };
}

/** The rows of one visitor: an exposure and four purchases in the last four weeks. */
function rowsOfVisitor({ project, goal, id, variations }, number) {
  const visitor = uuid();
  const entered = Date.now() * 1000 - (DAYS - (number % DAYS)) * DAY_MICROS;
  const device = number % 3;
  const exposure = [project, visitor, uuid(), entered, id, variations[number % 2], null, null, device];
  const purchases = Array.from({ length: PER_VISITOR - 1 }, (_, index) => {
    const at = entered + ((index * DAY_MICROS) % (3 * DAY_MICROS));
    return [project, visitor, uuid(), at, null, null, goal, ((number + index) % 700) * 2_500, device];
  });
  return [exposure, ...purchases];
}

async function seedEvents(store, experiment, events, isSqlite) {
  await store.run('INSERT INTO experiment_results (experiment_id, version, generation) VALUES (?, 1, 1)', [
    experiment.id,
  ]);
  for (let number = 0; number < events / PER_VISITOR; number += GROUP_VISITORS) {
    const visitors = Array.from({ length: GROUP_VISITORS }, (_, index) =>
      rowsOfVisitor(experiment, number + index),
    );
    await insertRows(store, visitors.flat(), isSqlite);
  }
}

async function attributeAll(databaseUrl, store) {
  const worker = startWorker(databaseUrl);
  while ((await store.rows('SELECT project_id FROM dirty_visitors LIMIT 1')).length > 0) {
    await sleep(100);
  }
  await stop(worker);
}

const CELL_TABLES = ['result_cells', 'entry_cells'];

/** Returns a function that adds a visitor in the same way as attribution, so all figures change. */
export function enter(store, { id, variations }) {
  let entered = 0;
  return () =>
    store.transaction(async (tx) => {
      entered += 1;
      for (const table of CELL_TABLES) {
        const { day } = (
          await tx.rows(`SELECT MAX(entry_day) AS day FROM ${table} WHERE experiment_id = ?`, [id])
        )[0];
        await tx.run(
          `UPDATE ${table} SET participants = participants + 1
            WHERE experiment_id = ? AND goal_id = 0 AND variation_id = ? AND entry_day = ?`,
          [id, variations[entered % variations.length], day],
        );
      }
      await tx.run('UPDATE experiment_results SET version = version + 1 WHERE experiment_id = ?', [id]);
    });
}

const label = (events) => `results of ${events.toLocaleString('en')} events`;

async function measureSpeeds({ server, bare, token, store }, experiments, goals) {
  const path = ({ project, id }) => `/api/projects/${project}/experiments/${id}/results`;
  const ways = Object.fromEntries(
    SIZES.flatMap((events, index) =>
      [server, bare].map((address) => [
        `${events} ${address}`,
        () => fire(address, token, [{ method: 'GET', path: path(experiments[index]) }]),
      ]),
    ),
  );
  const speeds = await inTurns(ways);
  const speedOf = (events, address) => speeds[`${events} ${address}`];
  for (const events of SIZES) {
    const pair = { server: speedOf(events, server), bare: speedOf(events, bare) };
    printRatio(`${label(events)}, unchanged`, goals.results, pair);
  }
  const changed = [];
  for (const [index, events] of SIZES.entries()) {
    const touch = enter(store, experiments[index]);
    const pair = await changedRounds(server, bare, token, path(experiments[index]), touch);
    changed.push(pair.server / pair.bare);
    printRatio(`${label(events)}, changed before each`, goals.changed, pair);
  }
  const [few, many] = SIZES.map((events) => speedOf(events, server));
  printTimes('unchanged', few / many);
  printTimes('changed before each, in units of the bare handler', changed[0] / changed[1]);
}

const printTimes = (when, ratio) =>
  printFigure(
    `${when}: a million events cost so many times ten thousand`,
    ratio.toFixed(2),
    `${MAX_RATIO} ${ratio <= MAX_RATIO ? 'reached' : 'MISSED'}`,
  );

/** @param goals required ratios to the bare handler */
export async function measureResults(name, databaseUrl, goals) {
  const people = seedPeople(databaseUrl);
  const server = await start('dist/src/main.js', databaseUrl, { WORKER: 'off' });
  const bare = await start('bench/bare-results.mjs', databaseUrl);
  const store = openStore(databaseUrl);
  try {
    const experiments = [];
    for (const events of SIZES) {
      const experiment = await seedExperiment(server.address, people, label(events));
      await seedEvents(store, experiment, events, databaseUrl.startsWith('sqlite:'));
      experiments.push(experiment);
    }
    await attributeAll(databaseUrl, store);
    printHeadline(`Results, ${name}`, 'requests per second');
    const both = { server: server.address, bare: bare.address, token: people.token, store };
    await measureSpeeds(both, experiments, goals);
    printMemory('memory of the server after the run (RSS)', rssMegabytes(server.child.pid), MAX_MEGABYTES);
  } finally {
    await store.close();
    await stop(server.child);
    await stop(bare.child);
  }
}
