import { ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECRET } from './api';
import { cacheFolderOf, engine } from './engine';

const MAIN = join(__dirname, '../../dist/src/main.js');
const DEADLINE_MS = 90_000;

/** The first port to use. All ports are below the ephemeral ports of Linux, and above 10080, which browsers block. */
const FIRST_PORT = 11_000;
const MAX_WORKERS = 10;
const PORTS_EACH = 2_000;
/** Runs on both engines can overlap, so each engine has its own range of workers. */
const FIRST_WORKER = { sqlite: 0, mysql: MAX_WORKERS / 2 }[engine];
const worker = (FIRST_WORKER + Number(process.env.JEST_WORKER_ID ?? 0)) % MAX_WORKERS;
let turn = process.pid;

/** Finds a free port that no other worker gets. */
export async function freePort(): Promise<number> {
  for (;;) {
    turn += 1;
    const port = FIRST_PORT + worker * PORTS_EACH + (turn % PORTS_EACH);
    if (await isFree(port)) {
      return port;
    }
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** The built server in a separate process. */
export class ServerProcess {
  stdout = '';
  stderr = '';
  readonly exit: Promise<number | null>;

  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
  ) {
    child.stdout?.on('data', (chunk) => (this.stdout += String(chunk)));
    child.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
    this.exit = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  }

  /** @param folder the working directory */
  static async spawn(environment: Record<string, string>, folder?: string): Promise<ServerProcess> {
    const port = await freePort();
    const env = {
      PATH: process.env.PATH,
      SESSION_SECRET: SECRET,
      SHUTDOWN_GRACE_SECONDS: '0',
      PORT: String(port),
      // By default, the shop uses the next port, which another test may be about to use.
      DEMO_PORT: '0',
      // A busy machine, or a test that stops the process, can delay the event loop.
      MAX_EVENT_LOOP_DELAY_MS: '0',
      CACHE_DIR: cacheFolderOf(environment.DATABASE_URL),
      ...environment,
    };
    const child = spawn(process.execPath, [MAIN], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    return new ServerProcess(child, `http://127.0.0.1:${port}`);
  }

  /** Resolves when the server is ready. Throws an error with its output if it does not start. */
  async ready(): Promise<this> {
    const deadline = Date.now() + DEADLINE_MS;
    while (Date.now() < deadline && this.child.exitCode === null) {
      const answer = await fetch(`${this.address}/health/ready`).catch(() => null);
      if (answer?.status === 200) {
        return this;
      }
      await sleep(50);
    }
    throw new Error(`The server does not serve: ${this.stderr}`);
  }

  get pid(): number {
    return Number(this.child.pid);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** The parsed lines of its log so far. */
  logLines(): Record<string, unknown>[] {
    const lines = this.stdout.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}
