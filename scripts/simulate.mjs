/*
 * Tests the statistics on simulated experiments (`npm run simulate`). The same seed and number of runs produce the same
 * tables.
 *
 *   npm run simulate -- [--part grid|power|sample-ratio|limits|late] [--only TEXT] [--runs 4000]
 *                       [--seed 20260501] [--jobs 1] [--results FILE]
 *
 * `--only` simulates the cells whose name contains the text. `--results` appends finished cells to an NDJSON file and
 * reuses cells in it with the same runs and seed, so a simulation can be interrupted and resumed.
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { root } from './lib.mjs';

const SOURCE = join(root, 'bench', 'simulation', 'index.ts');

function options() {
  const { values } = parseArgs({
    options: {
      part: { type: 'string', default: 'grid' },
      only: { type: 'string', default: '' },
      runs: { type: 'string', default: '4000' },
      seed: { type: 'string', default: '20260501' },
      jobs: { type: 'string', default: '1' },
      results: { type: 'string' },
    },
  });
  const [runs, seed, jobs] = ['runs', 'seed', 'jobs'].map((name) => wholeNumber(name, values[name]));
  return { ...values, runs, seed, jobs };
}

function wholeNumber(name, text) {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new Error(`--${name} must be a whole number above 0, but is "${text}".`);
  }
  return Number(text);
}

/** Compiles the simulation and the statistics. @returns the URL of the module */
async function compiled(folder) {
  const { build, stop } = await import('esbuild');
  const outfile = join(folder, 'simulation.mjs');
  // Bundled CommonJS packages need `require` in their module.
  const banner = {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  };
  await build({
    entryPoints: [SOURCE],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner,
    tsconfigRaw: {},
  });
  await stop();
  return pathToFileURL(outfile).href;
}

/** The results in an NDJSON file with the same part, runs and seed, by task name. */
function storedResults({ part, runs, seed, results }) {
  const lines =
    results && existsSync(results) ? readFileSync(results, 'utf8').split('\n').filter(Boolean) : [];
  const same = lines
    .map((line) => JSON.parse(line))
    .filter((row) => row.part === part && row.runs === runs && row.seed === seed);
  return new Map(same.map(({ name, result }) => [name, result]));
}

/** Runs tasks in workers, with a callback for each finished task. */
async function simulateAll(names, address, { part, runs, seed, jobs }, onDone) {
  const waiting = [...names];
  const work = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: { address, part, runs, seed } });
      const next = () =>
        waiting.length > 0 ? worker.postMessage(waiting.shift()) : resolve(worker.terminate());
      worker.on('error', reject);
      worker.on('message', ({ name, result }) => {
        onDone(name, result);
        next();
      });
      next();
    });
  await Promise.all(Array.from({ length: Math.min(jobs, waiting.length) }, work));
}

async function main() {
  const chosen = options();
  const folder = mkdtempSync(join(tmpdir(), 'gosset-simulation-'));
  try {
    const address = await compiled(folder);
    const { parts } = await import(address);
    const part = parts.get(chosen.part);
    if (!part) {
      throw new Error(`--part must be one of ${[...parts.keys()].join(', ')}, but is "${chosen.part}".`);
    }
    const names = part.tasks.map(({ name }) => name).filter((name) => name.includes(chosen.only));
    const done = storedResults(chosen);
    const missing = names.filter((name) => !done.has(name));
    await simulateAll(missing, address, chosen, (name, result) => {
      done.set(name, result);
      if (chosen.results) {
        const { part: partName, runs, seed } = chosen;
        appendFileSync(chosen.results, `${JSON.stringify({ part: partName, runs, seed, name, result })}\n`);
      }
      process.stderr.write(`${names.filter((each) => done.has(each)).length}/${names.length} ${name}\n`);
    });
    console.log(part.report(new Map(names.map((name) => [name, done.get(name)])), chosen.runs));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function serve({ address, part, runs, seed }) {
  const { parts } = await import(address);
  const tasks = new Map(parts.get(part).tasks.map((task) => [task.name, task]));
  parentPort.on('message', (name) =>
    parentPort.postMessage({ name, result: tasks.get(name).run(runs, seed) }),
  );
}

if (isMainThread) {
  await main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
} else {
  await serve(workerData);
}
