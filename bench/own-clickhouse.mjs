import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '@clickhouse/client';
import { root } from './machine.mjs';

/*
 * A separate ClickHouse with its data in a temporary folder. As in the tests, the engine is a library behind a minimal HTTP
 * interface.
 */

const FRONT = join(root, 'test/support/clickhouse-front.mjs');
const ENGINE = join(root, 'test/clickhouse/node_modules/chdb');
const [USERNAME, PASSWORD] = ['gosset', 'secret/1'];

/** Why ClickHouse cannot be measured, or null if it can. */
export const missingClickHouse = () =>
  existsSync(ENGINE)
    ? null
    : 'ClickHouse is left out: its engine is not installed. Run "npm ci" in test/clickhouse/.';

/** Runs the work with a new ClickHouse, which is removed afterwards. */
export async function withOwnClickHouse(work) {
  const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'gosset-bench-clickhouse-'));
  const child = spawn(process.execPath, [FRONT, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const removed = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', removed);
  try {
    const [port] = await once(createInterface({ input: child.stdout }), 'line');
    const client = createClient({
      url: `http://127.0.0.1:${port}`,
      username: USERNAME,
      password: PASSWORD,
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    });
    await work({
      url: `clickhouse://${USERNAME}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/default`,
      pid: child.pid,
      rows: async (query) => (await client.query({ query, format: 'JSONEachRow' })).json(),
    });
    await client.close();
  } finally {
    const gone = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await gone;
    process.off('exit', removed);
    removed();
  }
}
