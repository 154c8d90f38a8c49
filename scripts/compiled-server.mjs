/* Runs the bundled server until it is ready, then a command on MySQL, and stores V8's code cache for both. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './lib.mjs';
import { freePort } from './ports.mjs';

const DEADLINE_MS = 30_000;
const require = createRequire(import.meta.url);
const { Bundle, limitHeapGrowth } = require(join(root, 'dist', 'src', 'platform', 'bundle.js'));

const isReady = async (address) => (await fetch(address).catch(() => null))?.ok === true;

process.env.PORT = String(await freePort());
limitHeapGrowth();
const bundle = Bundle.read(join(root, 'dist'), 'gosset');
const { programs } = bundle.run();
void programs.server().then(({ main }) => main());
const deadline = Date.now() + DEADLINE_MS;
while (!(await isReady(`http://127.0.0.1:${process.env.PORT}/health/ready`))) {
  if (Date.now() > deadline) {
    throw new Error('it did not serve in time');
  }
  await sleep(20);
}
// The database is unreachable. The command reports this only after it has loaded the driver and its other modules.
const { runCommand } = await programs.admin();
await runCommand(['users:list'], { DATABASE_URL: `mysql://root@127.0.0.1:${await freePort()}/none` });
bundle.keepCompiled();
process.exit(0);
