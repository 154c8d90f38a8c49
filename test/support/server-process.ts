import { ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECRET } from './api';
import { cacheFolderOf } from './engine';

const MAIN = join(__dirname, '../../dist/src/main.js');
const DEADLINE_MS = 90_000;

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** The built server as a process of its own. */
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

  static async spawn(environment: Record<string, string>): Promise<ServerProcess> {
    const port = await freePort();
    const env = {
      PATH: process.env.PATH,
      SESSION_SECRET: SECRET,
      SHUTDOWN_GRACE_SECONDS: '0',
      PORT: String(port),
      // The port after it may be one that another test has just found free.
      DEMO_PORT: '0',
      CACHE_DIR: cacheFolderOf(environment.DATABASE_URL),
      ...environment,
    };
    const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    return new ServerProcess(child, `http://127.0.0.1:${port}`);
  }

  /** Resolves when the server serves; fails with what it said when it does not. */
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

  /** What it has logged so far. */
  logLines(): Record<string, unknown>[] {
    const lines = this.stdout.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}
