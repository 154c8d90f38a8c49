import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readDotenv, useDemoDatabase } from './demo-data.mjs';
import { prepareServer, root } from './lib.mjs';
import { portProblems, portsOf } from './ports.mjs';

const ASKS_EVERY_MS = 200;
const SHOP_MS = 5_000;

/** Whether Node is supported. The server loads ES modules with require(), which these releases allow without a flag. */
function isSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 23;
}

function refuse(problems) {
  problems.forEach((problem) => console.error(problem));
  process.exit(1);
}

async function requirePorts() {
  const problems = await portProblems(process.env);
  if (problems.length > 0) {
    refuse(problems);
  }
}

/** Creates or finds the demo. Returns its description, which is printed once the server responds. */
function prepareDemo() {
  console.error('Preparing the demo: four weeks of visitors ...');
  const seed = [join('dist', 'src', 'admin.js'), 'db:seed-demo', '--quickstart'];
  const { status, stdout } = spawnSync(process.execPath, seed, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
  return stdout;
}

/** Starts the server. This process ends when the server ends. */
function serve() {
  const server = spawn(process.execPath, [join('dist', 'src', 'main.js')], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => server.kill(signal));
  }
  server.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** Waits until a URL responds, or until the limit is reached. */
async function answers(address, limitMs = Infinity) {
  for (let waited = 0; waited < limitMs; waited += ASKS_EVERY_MS) {
    const response = await fetch(address).catch(() => null);
    if (response?.ok) {
      return true;
    }
    await sleep(ASKS_EVERY_MS);
  }
  return false;
}

if (!isSupported(process.versions.node)) {
  refuse([
    `Gosset needs Node 20.19 or later (of Node 22, 22.12 or later); this is Node ${process.versions.node}.`,
  ]);
}
readDotenv();
useDemoDatabase();
await requirePorts();
prepareServer();
const text = prepareDemo();
// Installing takes minutes, so another program may have taken the ports in the meantime.
await requirePorts();
serve();
const { host, port, demoPort, used } = portsOf(process.env);
const own = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
if (used.includes(port)) {
  await answers(`http://${own}:${port}/health/ready`);
}
const hasShop = /^ {2}Shop /m.test(text) && used.includes(demoPort);
const isShopOpen = !hasShop || (await answers(`http://${own}:${demoPort}/`, SHOP_MS));
console.log(text);
if (!isShopOpen) {
  console.error(`The demo shop does not respond on port ${demoPort}. The log above says why.`);
}
