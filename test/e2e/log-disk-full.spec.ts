import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createSqlite } from '../support/engine';
import { freePort } from '../support/server-process';
import { eventually } from '../support/waiting';

const FULL = '/dev/full';
const MAIN = join(__dirname, '../../dist/main.js');

(existsSync(FULL) ? it : it.skip)('a server whose log is on a full disk serves requests', async () => {
  const [store, port] = [createSqlite(), await freePort()];
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', openSync(FULL, 'w'), 'ignore'],
    env: { ...process.env, DATABASE_URL: store.url, PORT: String(port), SESSION_SECRET: 'x'.repeat(64) },
  });
  const status = async (): Promise<number | null> =>
    (await fetch(`http://127.0.0.1:${port}/login`, { signal: AbortSignal.timeout(20_000) }).catch(() => null))
      ?.status ?? null;
  await eventually(async () => child.exitCode !== null || (await status()) === 200);
  const later = [await status(), await status()];
  child.kill('SIGKILL');
  await store.remove();
  expect(later).toEqual([200, 200]);
});
