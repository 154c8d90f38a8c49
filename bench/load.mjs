import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';

/* Generates load with `wrk` if it is installed and all requests are plain GET requests, otherwise with autocannon. */

export const CONNECTIONS = 16;
export const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);

const hasWrk = spawnSync('wrk', ['-v']).error === undefined;

async function outputOf(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await new Promise((resolve) => child.once('close', resolve));
  return text;
}

/** A script for wrk that requests the paths in turn. */
const inTurn = (paths) => `local paths = { ${paths.map((path) => JSON.stringify(path)).join(', ')} }
local count = 0
request = function()
  count = count + 1
  return wrk.format("GET", paths[count % #paths + 1])
end
`;

async function fireWrk(address, headers, paths, connections) {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-wrk-'));
  const script = join(folder, 'paths.lua');
  writeFileSync(script, inTurn(paths));
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const text = await outputOf('wrk', [
    ...['-t1', `-c${connections}`, `-d${SECONDS}s`, '-s', script, ...given],
    address,
  ]);
  rmSync(folder, { recursive: true });
  const problem = /(Non-2xx or 3xx responses|Socket errors): .*/.exec(text);
  if (problem !== null) {
    throw new Error(`${paths[0]}: ${problem[0]}`);
  }
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)[1]);
}

async function fireAutocannon(address, headers, requests, connections) {
  // Functions cannot be passed to another thread.
  const thread = requests.some(({ setupRequest }) => setupRequest !== undefined) ? {} : { workers: 1 };
  const result = await autocannon({
    ...thread,
    url: address,
    connections,
    duration: SECONDS,
    headers,
    requests,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} refused and ${result.errors} failed requests`);
  }
  return result['2xx'] / result.duration;
}

/** Requests per second in one round. */
export function fire(address, token, requests, connections = CONNECTIONS) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const [first] = requests;
  const isPlain = requests.every(
    (request) =>
      request.method === 'GET' && request.headers === first.headers && !('setupRequest' in request),
  );
  const paths = requests.map(({ path }) => path);
  return hasWrk && isPlain
    ? fireWrk(address, { ...headers, ...first.headers }, paths, connections)
    : fireAutocannon(address, headers, requests, connections);
}
