import { ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { fastestFolder } from './engine';
import { freePort } from './server-process';

const run = promisify(execFile);
/** More than the space that the three nodes of a cluster need. */
const ROOM_BYTES = 3 * 2 ** 30;
const START_MS = 60_000;
const QUERY_MS = 5_000;
const SERVERS = ['/usr/sbin/mariadbd', '/usr/local/sbin/mariadbd', '/usr/bin/mariadbd'];

/** The path of the server program; undefined if it is not installed. */
export const mariadbd = SERVERS.find(existsSync);

/**
 * `describe` if the required programs are installed. Otherwise the block is skipped on a developer's machine, and
 * throws an error in CI.
 */
export function describeWith(missing: readonly string[]): typeof describe {
  if (missing.length === 0) {
    return describe;
  }
  const reason = `These packages are missing: ${missing.join(', ')}.`;
  if (process.env.CI === 'true') {
    throw new Error(reason);
  }
  process.stderr.write(`Skipped. ${reason}\n`);
  return describe.skip;
}

const isRoot = process.getuid?.() === 0;

/**
 * A separate MariaDB server on the loopback address. Its data is in a temporary folder, in memory if there is enough
 * space.
 */
export class MariaDb {
  private child: ChildProcess | undefined;
  private output = '';

  private constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly options: readonly string[],
  ) {}

  /** Creates the data folder without starting the server. @param options additional options for `mariadbd` */
  static async create(options: readonly string[] = []): Promise<MariaDb> {
    const folder = await mkdtemp(join(fastestFolder(ROOM_BYTES), 'gosset-mariadb-'));
    await chmod(folder, 0o755);
    const [data, temporary] = [join(folder, 'data'), join(folder, 'tmp')];
    await Promise.all([mkdir(data), mkdir(temporary)]);
    if (isRoot) {
      await run('chown', ['-R', 'mysql:mysql', folder]);
    }
    await run('mariadb-install-db', [
      '--no-defaults',
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      `--datadir=${data}`,
      `--tmpdir=${temporary}`,
      ...(isRoot ? ['--user=mysql'] : []),
    ]);
    return new MariaDb(folder, await freePort(), options);
  }

  /** @param name name of a database; without it, the URL of the server */
  url(name = ''): string {
    return `mysql://root@127.0.0.1:${this.port}/${name}`;
  }

  /** Starts the server, and waits until it responds. */
  async start(...more: string[]): Promise<void> {
    this.spawn(more);
    await this.until('SELECT 1', () => true);
  }

  /** Starts the server without waiting. */
  spawn(more: readonly string[]): void {
    this.output = '';
    const child = spawn(mariadbd ?? '', [...this.basics(), ...this.options, ...more], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    child.stdout.on('data', (chunk) => (this.output += String(chunk)));
    child.stderr.on('data', (chunk) => (this.output += String(chunk)));
    this.child = child;
  }

  async query(sql: string): Promise<Record<string, unknown>[]> {
    const connection = await createConnection({ uri: this.url(), connectTimeout: QUERY_MS });
    connection.on('error', () => undefined);
    try {
      const [rows] = await connection.query({ sql, timeout: QUERY_MS });
      return rows as Record<string, unknown>[];
    } finally {
      connection.destroy();
    }
  }

  /** Waits until the result of a query is as expected. */
  async until(sql: string, isExpected: (rows: Record<string, unknown>[]) => boolean): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (Date.now() < deadline && this.child?.exitCode === null) {
      const rows = await this.query(sql).catch(() => null);
      if (rows !== null && isExpected(rows)) {
        return;
      }
      await sleep(100);
    }
    throw new Error(`MariaDB on port ${this.port} did not come to "${sql}":\n${this.output.slice(-4_000)}`);
  }

  /** Sends a signal to the server and its child processes. */
  signal(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.child ?? {};
    if (pid !== undefined && exitCode === null && signalCode === null) {
      process.kill(-pid, signal);
    }
  }

  /** Kills the server without warning, as in a power failure. */
  async kill(): Promise<void> {
    const child = this.child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    const gone = new Promise((resolve) => child.once('exit', resolve));
    this.signal('SIGKILL');
    await gone;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  private basics(): string[] {
    return [
      '--no-defaults',
      `--datadir=${join(this.folder, 'data')}`,
      `--tmpdir=${join(this.folder, 'tmp')}`,
      `--socket=${join(this.folder, 'socket')}`,
      `--pid-file=${join(this.folder, 'pid')}`,
      '--bind-address=127.0.0.1',
      `--port=${this.port}`,
      '--innodb-buffer-pool-size=48M',
      '--innodb-log-file-size=24M',
      '--innodb-flush-log-at-trx-commit=2',
      '--performance-schema=OFF',
      '--skip-name-resolve',
      ...(isRoot ? ['--user=mysql'] : []),
    ];
  }
}
