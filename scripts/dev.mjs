/** Runs the server with the demo. When a file in `src` changes, compiles it and restarts the server. */
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { readDotenv, useDemoDatabase } from './demo-data.mjs';
import { node, prepareServer, root } from './lib.mjs';

/** Debounce time in milliseconds. Editors write a file in several steps, and several files at the same time. */
const SETTLE_MS = 100;
/** When the server restarts, requests that take longer than this (in milliseconds) are aborted. */
const STOP_MS = 1_000;

readDotenv();
useDemoDatabase();
prepareServer();
const { Compiler, problemOf } = await import('./compile.mjs');
const compiler = new Compiler();
await compiler.build();
const seeded = node([join('dist', 'src', 'admin.js'), 'db:seed-demo', '--quickstart']);
if (seeded !== 0) {
  process.exit(seeded);
}

let server = start();
let timer;
let turn = Promise.resolve();

function start() {
  const child = spawn(process.execPath, ['--enable-source-maps', join('dist', 'src', 'main.js')], {
    cwd: root,
    stdio: 'inherit',
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  ended.then((code) => code && console.error('The server has ended. It starts again at the next change.'));
  return { child, ended };
}

async function stop() {
  server.child.kill('SIGINT');
  const kill = setTimeout(() => server.child.kill('SIGKILL'), STOP_MS);
  await server.ended;
  clearTimeout(kill);
}

async function update() {
  try {
    if (await compiler.build()) {
      await stop();
      server = start();
    }
  } catch (error) {
    console.error(problemOf(error));
  }
}

watch(join(root, 'src'), { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => (turn = turn.then(update)), SETTLE_MS);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    await stop();
    process.exit(0);
  });
}
