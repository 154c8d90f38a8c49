import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import mysql from 'mysql2/promise';
import { openStore } from './stores.mjs';

/*
 * The server against bare handlers on the same database. Rounds alternate between the two, so that whatever else
 * the machine does hits both; what is compared are the medians of the rounds.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const CONNECTIONS = 16;
const EXPERIMENTS = 100;
const PAIRS = 60;
const MYSQL_URL = process.env.TEST_DATABASE_URL ?? 'mysql://root@127.0.0.1:3306/gosset_bench';
const SECRET = 'only for measuring, on this machine only';

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function admin(databaseUrl, ...args) {
  const env = { ...process.env, DATABASE_URL: databaseUrl, SESSION_SECRET: SECRET };
  const run = spawnSync(process.execPath, [join(root, 'dist/src/admin.js'), ...args, '--json'], { env });
  if (run.status !== 0) {
    throw new Error(`${args[0]}: ${run.stderr}`);
  }
  return JSON.parse(run.stdout);
}

async function start(script, databaseUrl) {
  const port = await freePort();
  const env = { ...process.env, DATABASE_URL: databaseUrl, SESSION_SECRET: SECRET, PORT: String(port) };
  const child = spawn(process.execPath, [join(root, script)], {
    env: { ...env, LOG_LEVEL: 'warn', NODE_ENV: 'production', REDIS_URL: '' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const address = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    await sleep(50);
    const isUp = await fetch(`${address}/health/live`).then(
      () => true,
      () => false,
    );
    if (isUp) {
      return { child, address };
    }
  }
  throw new Error(`${script} does not start`);
}

const rssMegabytes = (pid) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);

/** A user without practical limit, whose requests are counted all the same, in a team with two projects. */
function seedPeople(databaseUrl) {
  const [email, name] = ['bench@example.com', 'Bench'];
  const team = admin(databaseUrl, 'teams:create', '--name', name).id;
  admin(databaseUrl, 'users:create', '--email', email, '--name', name, '--rate-limit', '1000000000');
  admin(databaseUrl, 'teams:add-member', '--team', String(team), '--email', email, '--role', 'admin');
  const project = (label) =>
    admin(databaseUrl, 'projects:create', '--team', String(team), '--name', label).id;
  const { token } = admin(
    databaseUrl,
    'tokens:create',
    '--email',
    email,
    '--name',
    name,
    '--permission',
    'write',
  );
  return { token, listed: project('Listed'), filled: project('Filled') };
}

async function seedExperiments(address, { token, listed }) {
  const post = async (path, body) => {
    const answer = await fetch(`${address}/api/projects/${listed}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) {
      throw new Error(await answer.text());
    }
    return (await answer.json()).id;
  };
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

async function fire(address, token, requests) {
  const result = await autocannon({
    url: address,
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    requests,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} refused and ${result.errors} failed requests`);
  }
  return result['2xx'] / result.duration;
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

async function rounds(server, bare, token, requests) {
  const speeds = { server: [], bare: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const both = { server: await fire(server, token, requests), bare: await fire(bare, token, requests) };
    if (round > 0) {
      speeds.server.push(both.server);
      speeds.bare.push(both.bare);
    }
  }
  return { server: median(speeds.server), bare: median(speeds.bare) };
}

/** One request after the other, each after a change in the project; only the requests are timed. */
async function changedRounds(server, bare, token, path, touch) {
  const times = { server: [], bare: [] };
  const headers = { authorization: `Bearer ${token}` };
  for (let pair = 0; pair < PAIRS + 10; pair += 1) {
    for (const [name, address] of Object.entries({ server, bare })) {
      await touch();
      const began = performance.now();
      await (await fetch(`${address}${path}`, { headers })).arrayBuffer();
      if (pair >= 10) {
        times[name].push(performance.now() - began);
      }
    }
  }
  return { server: 1000 / median(times.server), bare: 1000 / median(times.bare) };
}

async function requireSameBytes(server, bare, token, path) {
  const read = async (address) =>
    (await fetch(address + path, { headers: { authorization: `Bearer ${token}` } })).text();
  const [ours, theirs] = [await read(server), await read(bare)];
  if (ours !== theirs) {
    throw new Error(`${path}: the two answers differ`);
  }
  return ours.length;
}

async function measure(name, databaseUrl, goals) {
  const people = seedPeople(databaseUrl);
  const server = await start('dist/src/main.js', databaseUrl);
  const bare = await start('bench/bare.mjs', databaseUrl);
  const store = openStore(databaseUrl);
  try {
    const ids = await seedExperiments(server.address, people);
    const list = `/api/projects/${people.listed}/experiments`;
    const one = ids.map((id) => ({ method: 'GET', path: `${list}/${id}` }));
    const bytes = await requireSameBytes(server.address, bare.address, people.token, list);
    await requireSameBytes(server.address, bare.address, people.token, one[0].path);
    const touch = () =>
      store.run(
        'UPDATE project_versions SET version = version + 1, experiments = experiments + 1 WHERE project_id = ?',
        [people.listed],
      );
    const pair = [server.address, bare.address, people.token];
    const rows = [
      [
        `list of ${EXPERIMENTS} (${Math.round(bytes / 1024)} KiB), changed before each`,
        goals.listChanged,
        await changedRounds(...pair, list, touch),
      ],
      ['list, unchanged', goals.list, await rounds(...pair, [{ method: 'GET', path: list }])],
      ['show one of 100, unchanged', goals.show, await rounds(...pair, one)],
      ['show one, changed before each', null, await changedRounds(...pair, one[0].path, touch)],
      [
        'create with 2 variations',
        goals.create,
        await rounds(...pair, [creation(`/api/projects/${people.filled}/experiments`)]),
      ],
    ];
    return { name, rows, rss: rssMegabytes(server.child.pid) };
  } finally {
    await store.close();
    server.child.kill('SIGTERM');
    bare.child.kill('SIGTERM');
  }
}

function print({ name, rows, rss }) {
  console.log(`\n${name}`);
  console.log(
    `${'requests per second'.padEnd(48)}${'server'.padStart(9)}${'bare'.padStart(9)}${'ratio'.padStart(8)}  goal`,
  );
  for (const [label, goal, { server, bare }] of rows) {
    const ratio = server / bare;
    const verdict = goal === null ? '' : `${goal} ${ratio >= goal ? 'reached' : 'MISSED'}`;
    console.log(
      `${label.padEnd(48)}${server.toFixed(0).padStart(9)}${bare.toFixed(0).padStart(9)}${ratio.toFixed(2).padStart(8)}  ${verdict}`,
    );
  }
  console.log(
    `${'memory of the server after the run (RSS)'.padEnd(48)}${`${rss} MB`.padStart(9)}${' '.repeat(17)}  250 MB ${rss < 250 ? 'reached' : 'MISSED'}`,
  );
}

async function benchSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-bench-'));
  try {
    const goals = { listChanged: 0.7, list: 3, show: 0.7, create: 0.3 };
    print(await measure('SQLite', `sqlite:${join(folder, 'bench.sqlite')}`, goals));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchMysql() {
  const url = new URL(MYSQL_URL);
  const database = url.pathname.slice(1);
  url.pathname = '/';
  const run = async (...statements) => {
    const connection = await mysql.createConnection(url.href);
    for (const statement of statements) {
      await connection.query(statement);
    }
    await connection.end();
  };
  await run(`DROP DATABASE IF EXISTS \`${database}\``, `CREATE DATABASE \`${database}\``);
  try {
    admin(MYSQL_URL, 'db:migrate');
    const goals = { listChanged: 0.7, list: 3, show: 0.7, create: 0.5 };
    print(await measure('MariaDB / MySQL', MYSQL_URL, goals));
  } finally {
    await run(`DROP DATABASE IF EXISTS \`${database}\``);
  }
}

console.log(`Node ${process.version}, ${ROUNDS} rounds of ${SECONDS} s, ${CONNECTIONS} connections, medians`);
await benchSqlite();
await benchMysql();
process.exit(0);
