import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { freePort } from '../scripts/ports.mjs';
import { stop } from './machine.mjs';

/* A separate MariaDB server with a given buffer pool size and its data in a temporary folder. */

/** A file system in memory. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

const SERVERS = ['/usr/sbin/mariadbd', '/usr/local/sbin/mariadbd', '/usr/bin/mariadbd'];
const START_ATTEMPTS = 1_200;
const DATABASE = 'gosset_bench';
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? ['--user=mysql'] : [];

/** Whether MariaDB is installed. */
export const hasMariaDb = () => SERVERS.some(existsSync);

/** An in-memory folder if it has enough space for all test databases, otherwise the folder for temporary files. */
export function fastestFolder() {
  const { bavail, bsize } = existsSync(MEMORY) ? statfsSync(MEMORY) : { bavail: 0, bsize: 0 };
  return bavail * bsize > ROOM_BYTES ? MEMORY : tmpdir();
}

function prepare(parent) {
  const folder = mkdtempSync(join(parent, 'gosset-mariadb-'));
  chmodSync(folder, 0o755);
  const [data, temporary] = [join(folder, 'data'), join(folder, 'tmp')];
  [data, temporary].forEach((each) => mkdirSync(each));
  if (isRoot) {
    execFileSync('chown', ['-R', 'mysql:mysql', folder]);
  }
  execFileSync('mariadb-install-db', [
    '--no-defaults',
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    `--datadir=${data}`,
    `--tmpdir=${temporary}`,
    ...asUser,
  ]);
  return { folder, data, temporary };
}

async function connected(port, child) {
  for (let attempt = 0; attempt < START_ATTEMPTS && child.exitCode === null; attempt += 1) {
    try {
      return await mysql.createConnection(`mysql://root@127.0.0.1:${port}/`);
    } catch {
      await sleep(50);
    }
  }
  throw new Error('mariadbd does not start. It needs the package mariadb-server.');
}

/**
 * Runs the work with a new MariaDB, which is removed afterwards. Commits are flushed to disk (the default), and pages
 * bypass the operating system's cache (O_DIRECT).
 * @param megabytes buffer pool size
 * @param parent the folder in which its temporary folder is created
 */
export async function withOwnMariaDb(megabytes, work, parent = process.env.BENCH_FOLDER ?? tmpdir()) {
  const program = SERVERS.find(existsSync);
  if (program === undefined) {
    throw new Error('There is no mariadbd. Install the package mariadb-server.');
  }
  const { folder, data, temporary } = prepare(parent);
  const port = await freePort();
  const options = [
    '--no-defaults',
    `--datadir=${data}`,
    `--tmpdir=${temporary}`,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    `--innodb-buffer-pool-size=${megabytes}M`,
    '--innodb-log-file-size=512M',
    '--innodb-flush-log-at-trx-commit=1',
    '--innodb-flush-method=O_DIRECT',
    '--performance-schema=OFF',
    '--skip-name-resolve',
    // On a busy machine, a client can take longer than ten seconds, the default timeout, to complete the handshake.
    '--connect-timeout=120',
    ...asUser,
  ];
  const child = spawn(program, options, { cwd: folder, stdio: 'ignore' });
  const removed = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', removed);
  try {
    const connection = await connected(port, child);
    await connection.query(`CREATE DATABASE ${DATABASE}`);
    await connection.end();
    await work({
      url: `mysql://root@127.0.0.1:${port}/${DATABASE}`,
      pid: child.pid,
      /** Size of a table on disk, in bytes. */
      bytesOf: (table) => statSync(join(data, DATABASE, `${table}.ibd`)).size,
    });
  } finally {
    if (child.exitCode === null) {
      await stop(child);
    }
    process.off('exit', removed);
    removed();
  }
}

/** Turns these signals into a regular exit, so the exit handler removes the database of an interrupted benchmark. */
['SIGINT', 'SIGTERM'].forEach((signal) => process.once(signal, () => process.exit(1)));
