import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { request, seedPeople, withSqlite } from '../bench/machine.mjs';
import { prepareServer, root } from './lib.mjs';
import { freePort } from './ports.mjs';

/*
 * `files-entered.mjs [--files]`: counts the files in `src` that a request enters, according to V8's function coverage
 * of a server built as single files. A file is entered when one of its functions runs. Loading it or reading its
 * exports does not count. Each request is sent several times, each time for a record that has not been read before.
 * Only files entered every time count. This excludes timers and initialization on first use.
 */

const REPEATS = 4;
const BUILT = join(root, 'dist', 'src') + sep;

/** How a compiled module exports a name. */
const EXPORT = /^get \w+ ?\(\) ?\{\s*return [\w.]+;\s*\}$/;

/** Whether any function ran, apart from the module itself and export getters. */
function isEntered({ path, functions }) {
  const text = readFileSync(path, 'utf8');
  return functions.some(({ ranges: [{ count, startOffset, endOffset }] }) => {
    const isModule = endOffset - startOffset >= text.length;
    return count > 0 && !isModule && !EXPORT.test(text.slice(startOffset, endOffset));
  });
}

/** The files in `src` entered since the last call. */
async function takeEntered(session) {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .map(({ url, functions }) => ({ path: url.startsWith('file:') ? fileURLToPath(url) : url, functions }))
    .filter(({ path }) => path.startsWith(BUILT))
    .filter(isEntered)
    .map(({ path }) => relative(BUILT, path).replaceAll(sep, '/').replace(/\.js$/, ''));
}

/** The files that every request after the first one enters. */
async function measure(session, sends) {
  let common = null;
  for (const [index, send] of sends.entries()) {
    await takeEntered(session);
    await send();
    const entered = await takeEntered(session);
    if (index > 0) {
      common = common === null ? entered : common.filter((file) => entered.includes(file));
    }
  }
  return common.sort();
}

/** Creates records that have not been read, and the requests for them. */
async function prepareRequests(address, { token, listed }) {
  const project = `/projects/${listed}`;
  const call = (method, path, body) => request(address, token, method, project + path, body);
  const numbers = Array.from({ length: REPEATS + 1 }, (_, index) => index);
  const each = async (work) => {
    const made = [];
    for (const number of numbers) {
      made.push(await work(number));
    }
    return made;
  };
  const page = await call('POST', '/pages', { name: 'Shop' });
  const audience = await call('POST', '/audiences', { name: 'Everyone' });
  const goals = await each((number) => call('POST', '/goals', { name: `Order ${number}` }));
  const experiment = (name) => ({
    name,
    audiences: [audience.id],
    pages: [page.id],
    goals: [goals[0].id],
    variations: [{ name: 'Original' }, { name: 'Green button', css: '.buy { background: green }' }],
  });
  const drafts = await each((number) => call('POST', '/experiments', experiment(`Draft ${number}`)));
  const running = await each((number) => call('POST', '/experiments', experiment(`Running ${number}`)));
  for (const { id } of running) {
    await call('PATCH', `/experiments/${id}/status`, { status: 'running' });
  }
  const { client_key: writeKey } = await call('GET', '');
  const collect = async (visitor) => {
    const exposures = running.map(({ id, variations: [original] }) => ({
      event: 'Experiment Viewed',
      properties: { experiment_id: id, variation_id: original.id },
    }));
    const batch = [...exposures, { event: goals[0].api_name }].map((event, index) => ({
      type: 'track',
      anonymousId: visitor,
      messageId: `${visitor}-${index}`,
      ...event,
    }));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ writeKey, batch });
    const answer = await fetch(`${address}/v1/batch?strict=1`, { method: 'POST', headers, body });
    if (!answer.ok) {
      throw new Error(`POST /v1/batch: ${await answer.text()}`);
    }
  };
  return {
    call,
    each: (work) => numbers.map((number) => () => work(number)),
    goals,
    experiment,
    drafts,
    running,
    collect,
  };
}

/** Waits until the worker has counted the events of an experiment that none of the measured requests reads. */
async function untilCounted(call, { id }) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const isThere = await call('GET', `/experiments/${id}/results/info`).then(
      ({ participants }) => participants > 0,
      () => false,
    );
    if (isThere) {
      return;
    }
    await sleep(100);
  }
  throw new Error('The worker has not counted the events.');
}

async function measureAll(databaseUrl) {
  const people = seedPeople(databaseUrl);
  const port = await freePort();
  const settings = { DATABASE_URL: databaseUrl, PORT: String(port), LOG_LEVEL: 'warn', REDIS_URL: '' };
  Object.assign(process.env, { ...settings, SESSION_SECRET: 'only for measuring, on this machine only' });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const { main } = await import(pathToFileURL(join(BUILT, 'server.js')).href);
  await main();
  const address = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${address}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    await sleep(50);
  }
  const { call, each, goals, experiment, drafts, running, collect } = await prepareRequests(address, people);
  await collect('first');
  await untilCounted(call, running[0]);
  const flows = {
    'GET a goal': each((number) => call('GET', `/goals/${goals[number].id}`)),
    'POST an experiment': each((number) => call('POST', '/experiments', experiment(`Made ${number}`))),
    'PATCH the status of an experiment': each((number) =>
      call('PATCH', `/experiments/${drafts[number].id}/status`, { status: 'running' }),
    ),
    'GET results': each((number) => call('GET', `/experiments/${running[number].id}/results`)),
    'POST /v1/batch': each((number) => collect(`visitor-${number}`)),
  };
  const measured = [];
  for (const [name, sends] of Object.entries(flows)) {
    measured.push({ name, files: await measure(session, sends) });
  }
  return measured;
}

const folderOf = (file) => (file.includes('/') ? file.split('/')[0] : '');

function print(measured) {
  console.log('| request | files | top folders |\n|---|---|---|');
  for (const { name, files } of measured) {
    const folders = new Set(files.map(folderOf));
    console.log(`| ${name} | ${files.length} | ${folders.size} |`);
  }
  for (const { name, files } of process.argv.includes('--files') ? measured : []) {
    console.log(`\n${name}\n${files.map((file) => `  ${file}`).join('\n')}`);
  }
}

prepareServer();
await withSqlite(async (databaseUrl) => print(await measureAll(databaseUrl)));
// Exits explicitly, because the server in this process would keep it alive.
process.exit();
