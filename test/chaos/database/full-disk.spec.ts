import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdminCommand } from '../../support/admin';
import { ServerProcess } from '../../support/server-process';
import { SqliteStage } from '../../support/sqlite-stage';

const DISK = '24m';
const CHUNKS = [1_048_576, 65_536, 4_096];
const FULL = /the disk (is full|cannot be read or written)/;

/** Cleanup functions, which run in reverse order after each test. */
const cleanings: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanings.splice(0).reverse()) {
    await clean();
  }
});

/** A small separate disk; requires root. */
class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'gosset-disk-'));
  private readonly filling = join(this.folder, 'filling');

  constructor() {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', this.folder]);
    cleanings.push(() => this.remove());
  }

  fill(): void {
    for (const size of CHUNKS) {
      try {
        for (;;) {
          appendFileSync(this.filling, Buffer.alloc(size));
        }
      } catch {
        // A chunk of this size no longer fits, so smaller chunks fill the rest of the disk.
      }
    }
  }

  free(): void {
    rmSync(this.filling, { force: true });
  }

  private remove(): void {
    execFileSync('umount', [this.folder]);
    rmSync(this.folder, { recursive: true });
  }
}

/** Limits the file size for one process: writes beyond it fail with EFBIG. */
function limitFiles(server: ServerProcess, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:unlimited`]);
}

/** Prepares a stage with a running server, which is stopped after the test, and an admin command on its database. */
async function startStage(file: string): Promise<[SqliteStage, AdminCommand]> {
  const stage = await SqliteStage.prepare(file);
  const admin = new AdminCommand(stage.url);
  cleanings.push(() => admin.remove());
  await stage.spawn();
  cleanings.push(() => stage.stop('SIGKILL'));
  await stage.server.ready();
  return [stage, admin];
}

const createGoal = async (stage: SqliteStage, name: string): Promise<number> =>
  (await stage.call('/goals', { name })).status;

describe('a SQLite database', () => {
  it('on a full disk acknowledges only stored events, and recovers automatically', async () => {
    const disk = new SmallDisk();
    const [stage, admin] = await startStage(join(disk.folder, 'data', 'gosset.sqlite'));
    stage.beginSending();
    await stage.seen(200);
    disk.fill();
    await stage.seen(503);
    expect(await stage.readiness(503)).toMatch(FULL);

    const refused = await admin.runAlone(['teams:create', '--name', 'In vain']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^The database file .*the disk [^\n]*\n$/),
    ]);
    disk.free();
    const made = await admin.runAlone(['teams:create', '--name', 'At once']);
    expect([made.code, made.stderr]).toEqual([0, '']);
    await stage.readiness(200);
    await stage.seen(200);
    expect(await createGoal(stage, 'After')).toBe(201);

    disk.fill();
    await stage.seen(503);
    await stage.stop('SIGKILL');
    // The server frees space at startup with a checkpoint, so the disk is filled again and again.
    const filling = setInterval(() => disk.fill(), 100);
    cleanings.push(() => clearInterval(filling));
    const again = await stage.spawn();
    const outcome = await Promise.race([again.exit, stage.readiness(503)]);
    clearInterval(filling);
    expect(outcome === 1 ? again.stderr : outcome).toMatch(FULL);
    await stage.stop('SIGKILL');
    disk.free();
    await stage.start();
    stage.beginSending();
    await stage.seen(200);
    await stage.stop();
    await stage.expectNothingLost(['After']);
  }, 180_000);

  it('that cannot grow because of a disk error acknowledges only stored events, and recovers automatically', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gosset-limit-'));
    cleanings.push(() => rmSync(folder, { recursive: true }));
    const [stage, admin] = await startStage(join(folder, 'gosset.sqlite'));
    stage.beginSending();
    for (let round = 0; round < 3; round += 1) {
      await stage.seen(200);
      limitFiles(stage.server, Math.max(statSync(`${stage.file}-wal`).size, statSync(stage.file).size));
      await stage.seen(503);
      expect(await stage.readiness(503)).toContain('SQLITE_IOERR_WRITE');
      // The admin command runs in another process, which is neither limited nor blocked.
      expect((await admin.run(['teams:create', '--name', `Round ${round}`])).stderr).toBe('');
      limitFiles(stage.server, 'unlimited');
      await stage.readiness(200);
      await stage.seen(200);
      expect(await createGoal(stage, `Round ${round}`)).toBe(201);
    }
    await stage.stop('SIGKILL');
    await stage.expectNothingLost(['Round 0', 'Round 1', 'Round 2']);
  }, 180_000);
});
