import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './server-process';
import { hasClickHouse } from './sql-engines';

const FRONT = join(__dirname, 'clickhouse-front.mjs');

/** A simulated failure of ClickHouse; see clickhouse-front.mjs. */
export interface ClickHouseFaults {
  delayMs?: number;
  inserts?: 'full' | 'readonly' | 'unanswered';
  deletions?: 'refused' | 'unanswered';
  cells?: 'document' | 'text' | 'cut';
  proxied?: boolean;
}

/** `describe` if the engine is installed. Otherwise the block is skipped, or fails in CI. */
export function describeWithClickHouse(name: string, tests: () => void): void {
  const isThere = hasClickHouse();
  (isThere ? describe : describe.skip)(
    isThere ? name : `${name} (skipped: no ClickHouse, run "npm ci" in test/clickhouse/)`,
    tests,
  );
}

/** A separate ClickHouse server with its own data. */
export class TestClickHouse {
  private constructor(
    private readonly folder: string,
    private process: ChildProcess,
    readonly port: number,
  ) {}

  static async start(): Promise<TestClickHouse> {
    const folder = mkdtempSync(join(tmpdir(), 'gosset-clickhouse-'));
    // Another program could take an ephemeral port between `kill` and `restart`, so the port is outside the ephemeral
    // range.
    const port = await freePort();
    return new TestClickHouse(folder, await front(folder, port), port);
  }

  /** The value of `EVENTS_URL`. */
  get url(): string {
    return `clickhouse://gosset:secret%2F1@127.0.0.1:${this.port}/default`;
  }

  /** @param faults an empty object restores normal behaviour */
  async misbehave(faults: ClickHouseFaults): Promise<void> {
    await fetch(`http://127.0.0.1:${this.port}/faults`, { method: 'POST', body: JSON.stringify(faults) });
  }

  /** Kills ClickHouse without warning, as in a power failure. */
  async kill(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const ended = once(this.process, 'exit');
      this.process.kill('SIGKILL');
      await ended;
    }
  }

  /** Suspends ClickHouse. It still accepts connections, but does not respond until it is resumed. */
  pause(): void {
    this.process.kill('SIGSTOP');
  }

  resume(): void {
    this.process.kill('SIGCONT');
  }

  /** Restarts ClickHouse with its data, on the same port. */
  async restart(): Promise<void> {
    await this.kill();
    this.process = await front(this.folder, this.port);
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Starts the process, and resolves once it listens. */
async function front(folder: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [FRONT, folder, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}
