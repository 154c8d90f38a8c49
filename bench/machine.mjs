import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mysql from 'mysql2/promise';
import { freePort } from '../scripts/ports.mjs';

/* Databases and processes for measurements. */

export const root = fileURLToPath(new URL('..', import.meta.url));
const MYSQL_URL = process.env.TEST_DATABASE_URL ?? 'mysql://root@127.0.0.1:3306/gosset_bench';
const CACHE_DIR = join(tmpdir(), 'gosset-bench-cache');
// Rate limits so high that requests are counted but never rejected.
const LIMITS = { DELIVERY_LIMIT_PER_MINUTE: '1000000000', EVENTS_PER_MINUTE: '1000000000' };
// All servers have the same public URL, because live scripts contain the URL of the server that published them.
const ADDRESS = 'http://127.0.0.1';
const SECRET = 'only for measuring, on this machine only';

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Returns a function that runs the admin command of a checkout and returns its output. */
export const adminOf =
  (checkout) =>
  (databaseUrl, ...args) =>
    runAdmin(checkout, databaseUrl, args, '');

function runAdmin(checkout, databaseUrl, args, input) {
  const env = { ...process.env, DATABASE_URL: databaseUrl, SESSION_SECRET: SECRET };
  const command = [join(checkout, 'dist/src/admin.js'), ...args, '--json'];
  const run = spawnSync(process.execPath, command, { env, input });
  if (run.status !== 0) {
    throw new Error(`${args[0]}: ${run.stderr}`);
  }
  return JSON.parse(run.stdout);
}

export const admin = adminOf(root);

const running = new Set();
process.once('exit', () => running.forEach((child) => child.kill('SIGTERM')));

/** Starts a process that does not outlive this one. */
function launch(script, databaseUrl, port, environment, args = []) {
  const env = { ...process.env, DATABASE_URL: databaseUrl, SESSION_SECRET: SECRET, PORT: String(port) };
  const child = spawn(process.execPath, [resolve(root, script), ...args], {
    env: {
      ...env,
      LOG_LEVEL: 'warn',
      NODE_ENV: 'production',
      REDIS_URL: '',
      PUBLIC_URL: ADDRESS,
      CACHE_DIR,
      ...LIMITS,
      ...environment,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Starts a server and waits until it responds. @param script path relative to this checkout, or absolute */
export async function start(script, databaseUrl, environment = {}) {
  const port = await freePort();
  const child = launch(script, databaseUrl, port, environment);
  const address = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    await sleep(10);
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

/** Starts a process that attributes events and serves no requests. */
export const startWorker = (databaseUrl, environment = {}) =>
  launch('dist/src/main.js', databaseUrl, 0, { WORKER: 'only', ...environment });

/** Starts an admin command without waiting for it to end. */
export const startAdmin = (databaseUrl, args, environment = {}) =>
  launch('dist/src/admin.js', databaseUrl, 0, environment, args);

/** Stops a process and waits until it is gone. */
export async function stop(child) {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

const CLOCK_TICK_MS = 10;

/** CPU time that a process has used, in milliseconds. */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
}

export const rssMegabytes = (pid) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);

export const SIGN_IN = { email: 'bench@example.com', password: 'only for measuring' };

/** Sets the password of the seeded user, so the browser can sign in. */
export const setPassword = (databaseUrl) =>
  runAdmin(
    root,
    databaseUrl,
    ['users:set-password', '--email', SIGN_IN.email, '--password-stdin'],
    SIGN_IN.password,
  );

/** Creates a user in a team with two projects. The user has a rate limit, but never reaches it. */
export function seedPeople(databaseUrl, run = admin) {
  const [email, name] = [SIGN_IN.email, 'Bench'];
  const team = run(databaseUrl, 'teams:create', '--name', name).id;
  run(databaseUrl, 'users:create', '--email', email, '--name', name, '--rate-limit', '1000000000');
  run(databaseUrl, 'teams:add-member', '--team', String(team), '--email', email, '--role', 'admin');
  const project = (label) => run(databaseUrl, 'projects:create', '--team', String(team), '--name', label).id;
  const token = ['--email', email, '--name', name, '--permission', 'write'];
  return {
    token: run(databaseUrl, 'tokens:create', ...token).token,
    listed: project('Listed'),
    filled: project('Filled'),
  };
}

/** Sends an API request as the seeded user. @returns the JSON of the response; throws unless the status is 2xx */
export async function request(address, token, method, path, body) {
  const answer = await fetch(`${address}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) {
    throw new Error(`${method} ${path}: ${await answer.text()}`);
  }
  return answer.json();
}

/** Runs `work` with an empty SQLite database, which is removed afterwards. */
export async function withSqlite(work) {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-bench-'));
  try {
    await work(`sqlite:${join(folder, 'bench.sqlite')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the work with an empty MySQL database, which is removed afterwards. */
export async function withMysql(work) {
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
    await work(MYSQL_URL);
  } finally {
    await run(`DROP DATABASE IF EXISTS \`${database}\``);
  }
}
