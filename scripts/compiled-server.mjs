/* Runs the bundled server until it serves, keeps what V8 has compiled of it, and ends. */
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './lib.mjs';

const DEADLINE_MS = 30_000;
const require = createRequire(import.meta.url);
const platform = (name) => require(join(root, 'dist', 'src', 'platform', name));

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

const isReady = async (address) => (await fetch(address).catch(() => null))?.ok === true;

process.env.PORT = String(await freePort());
platform('heap-growth.js').limitHeapGrowth();
const bundle = platform('bundle.js').Bundle.read(join(root, 'dist'), 'gosset');
void bundle
  .run()
  .programs.server()
  .then(({ main }) => main());
const deadline = Date.now() + DEADLINE_MS;
while (!(await isReady(`http://127.0.0.1:${process.env.PORT}/health/ready`))) {
  if (Date.now() > deadline) {
    throw new Error('it did not serve in time');
  }
  await sleep(20);
}
bundle.keepCompiled();
process.exit(0);
