import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClickHouseScene } from './clickhouse-scene';
import { kill } from './killed-workers';
import { deliverTo } from './ledger';
import { ServerProcess } from './server-process';
import { until } from './waiting';

const PRELOAD = join(__dirname, 'hold-steps.cjs');

/** The steps at which a process can be held; see hold-steps.cjs. */
export const MOMENTS = [
  'opened, not inserted',
  'inserted, not noted',
  'noted, not answered',
  'chosen, not counted',
  'counted, not applied',
  'applied, not committed',
  'committed',
] as const;
export const VICTIMS = ['server', 'worker', 'engine'] as const;
export type Victim = (typeof VICTIMS)[number];

/** A server that collects events, a worker that attributes them, and ClickHouse. Each can be killed. */
export class ClickHouseProcesses {
  private readonly folder = mkdtempSync(join(tmpdir(), 'gosset-held-'));
  private readonly running = new Map<Exclude<Victim, 'engine'>, ServerProcess>();

  constructor(
    private readonly scene: ClickHouseScene,
    private readonly key: string,
  ) {}

  /** Starts the given processes, or restarts those that were killed. */
  async start(...victims: readonly Victim[]): Promise<void> {
    for (const victim of victims) {
      if (victim === 'engine') {
        await this.scene.clickhouse.restart();
      } else {
        this.running.set(victim, await this.spawn(victim));
      }
    }
    if (victims.includes('server')) {
      await this.running.get('server')?.ready();
    }
  }

  /** Kills a process with SIGKILL. */
  async kill(victim: Victim): Promise<void> {
    const process = victim === 'engine' ? undefined : this.running.get(victim);
    await (process === undefined ? this.scene.clickhouse.kill() : kill(process));
  }

  /** Holds the next process that reaches this step. */
  hold(moment: string): void {
    rmSync(this.file('held'), { force: true });
    writeFileSync(this.file('armed'), moment);
  }

  /** Resolves when a process is held. */
  held(moment: string): Promise<void> {
    return until(() => existsSync(this.file('held')), `a process that is held: ${moment}`);
  }

  /** Resumes the held process if it is still alive. */
  release(): void {
    rmSync(this.file('armed'), { force: true });
  }

  /** Posts a batch to the server. */
  readonly deliver = (batch: object[]) =>
    deliverTo(this.running.get('server')?.address ?? '', this.key)(batch);

  /** The log lines of the server and the worker. */
  get logLines(): Record<string, unknown>[] {
    return [...this.running.values()].flatMap((process) => process.logLines());
  }

  async stop(): Promise<void> {
    this.release();
    await Promise.all([...this.running.values()].map((process) => kill(process)));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private spawn(victim: 'server' | 'worker'): Promise<ServerProcess> {
    return ServerProcess.spawn({
      DATABASE_URL: this.scene.api.databaseUrl,
      EVENTS_URL: this.scene.clickhouse.url,
      LOG_LEVEL: 'warn',
      WORKER: victim === 'worker' ? 'only' : 'off',
      NODE_OPTIONS: `--require=${PRELOAD}`,
      HOLD_FOLDER: this.folder,
    });
  }

  private readonly file = (name: string): string => join(this.folder, name);
}
