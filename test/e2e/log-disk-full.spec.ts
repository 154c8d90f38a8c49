import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSqlite } from '../support/engine';

const FULL = '/dev/full';
const MAIN = join(__dirname, '../../dist/main.js');

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

(existsSync(FULL) ? it : it.skip)('a server whose log is on a full disk serves requests', async () => {
  const [store, port] = [createSqlite(), await freePort()];
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', openSync(FULL, 'w'), 'ignore'],
    env: { ...process.env, DATABASE_URL: store.url, PORT: String(port), SESSION_SECRET: 'x'.repeat(64) },
  });
  const status = async (): Promise<number | null> =>
    (await fetch(`http://127.0.0.1:${port}/login`, { signal: AbortSignal.timeout(2_000) }).catch(() => null))
      ?.status ?? null;
  const statuses: (number | null)[] = [];
  for (let attempt = 0; attempt < 20 && !statuses.includes(200); attempt += 1) {
    statuses.push(await status());
    await sleep(250);
  }
  const later = [await status(), await status()];
  child.kill('SIGKILL');
  await store.remove();
  expect(later).toEqual([200, 200]);
});
