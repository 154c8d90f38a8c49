import { rssMegabytes, request, seedPeople, start, stop } from './machine.mjs';
import { printHeadline, printMemory, printRatio } from './report.mjs';
import { changedRounds, rounds, writtenRounds } from './rounds.mjs';
import { openStore } from './stores.mjs';

/* Compares the management API with bare handlers on the same database. */

const EXPERIMENTS = 100;
const MAX_MEGABYTES = 180;

async function seedExperiments(address, { token, listed }) {
  const post = async (path, body) =>
    (await request(address, token, 'POST', `/projects/${listed}/${path}`, body)).id;
  const js = `document.title = '${'x'.repeat(650)}';`;
  const attached = {
    audiences: [await post('audiences', { name: 'Everyone' })],
    pages: [await post('pages', { name: 'Home' })],
    goals: [await post('goals', { name: 'Order' })],
  };
  const ids = [];
  for (let number = 1; number <= EXPERIMENTS; number += 1) {
    const variations = ['Original', 'First', 'Second'].map((name) => ({ name, js }));
    ids.push(
      await post('experiments', { name: `Experiment ${number}`, tags: ['bench'], variations, ...attached }),
    );
  }
  return ids;
}

let created = 0;
const creation = (path) => ({
  method: 'POST',
  path,
  setupRequest: (request) => {
    created += 1;
    const variations = [{ name: 'Original' }, { name: 'Green button', css: '.buy { background: green }' }];
    return { ...request, body: JSON.stringify({ name: `Made ${created}`, variations }) };
  },
});

async function requireSameBytes(server, bare, token, path) {
  const read = async (address) =>
    (await fetch(address + path, { headers: { authorization: `Bearer ${token}` } })).text();
  const [ours, theirs] = [await read(server), await read(bare)];
  if (ours !== theirs) {
    throw new Error(`${path}: the two answers differ`);
  }
  return ours.length;
}

/** Returns a function that changes an experiment description and increments the same version numbers as the server. */
function writerOf(store, project, experiment) {
  let writes = 0;
  return () =>
    store.transaction(async (tx) => {
      writes += 1;
      await tx.run('UPDATE experiments SET description = ?, version = version + 1 WHERE id = ?', [
        `Description ${writes}`,
        experiment,
      ]);
      await tx.run('UPDATE project_versions SET version = version + 1 WHERE project_id = ?', [project]);
      await tx.run(
        "UPDATE collection_versions SET version = version + 1 WHERE project_id = ? AND collection = 'experiments'",
        [project],
      );
    });
}

/** @param goals required ratios to the bare handlers, by measurement */
export async function measureManagement(name, databaseUrl, goals) {
  const people = seedPeople(databaseUrl);
  const server = await start('dist/src/main.js', databaseUrl, { WORKER: 'off' });
  const bare = await start('bench/bare.mjs', databaseUrl);
  const store = openStore(databaseUrl);
  try {
    const ids = await seedExperiments(server.address, people);
    const list = `/api/projects/${people.listed}/experiments`;
    const one = ids.map((id) => ({ method: 'GET', path: `${list}/${id}` }));
    const bytes = await requireSameBytes(server.address, bare.address, people.token, list);
    await requireSameBytes(server.address, bare.address, people.token, one[0].path);
    const touch = writerOf(store, people.listed, ids[0]);
    const pair = [server.address, bare.address, people.token];
    const creations = [creation(`/api/projects/${people.filled}/experiments`)];
    const size = `${Math.round(bytes / 1024)} KiB`;
    printHeadline(`Management, ${name}`, 'requests per second');
    printRatio(
      `list of ${EXPERIMENTS} (${size}), changed before each`,
      goals.listChanged,
      await changedRounds(...pair, list, touch),
    );
    printRatio('list, unchanged', goals.list, await rounds(...pair, [{ method: 'GET', path: list }]));
    printRatio('show one of 100, unchanged', goals.show, await rounds(...pair, one));
    printRatio(
      'show one, changed before each',
      goals.showChanged,
      await changedRounds(...pair, one[0].path, touch),
    );
    for (const [what, path, pause, goal] of [
      ['show one, a write every 4 ms', one[0].path, 4, goals.written.show4],
      ['show one, a write every 50 ms', one[0].path, 50, goals.written.show50],
      ['list, a write every 4 ms', list, 4, goals.written.list4],
    ]) {
      const request = [{ method: 'GET', path }];
      printRatio(what, goal, await writtenRounds(...pair, request, touch, pause));
    }
    printRatio('create with 2 variations', goals.create, await rounds(...pair, creations));
    printMemory('memory of the server after the run (RSS)', rssMegabytes(server.child.pid), MAX_MEGABYTES);
  } finally {
    await store.close();
    await stop(server.child);
    await stop(bare.child);
  }
}
