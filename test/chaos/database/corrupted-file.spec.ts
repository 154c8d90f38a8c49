import { closeSync, copyFileSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSqliteDriver } from '../../../src/database/sqlite-driver';
import { SqliteStage } from '../../support/sqlite-stage';

/** Overwrites the first page of a table with invalid content. */
function damage(file: string, table: string): void {
  const Driver = loadSqliteDriver();
  const connection = new Driver(file);
  const size = connection.pragma('page_size', { simple: true }) as number;
  const { rootpage } = connection
    .prepare<[string], { rootpage: number }>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .get(table) as { rootpage: number };
  connection.close();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(size, 0xff), 0, size, (rootpage - 1) * size);
  closeSync(handle);
}

describe('a corrupt SQLite file', () => {
  it('accepts no events, reports the reason, and contains all acknowledged events after its backup is restored', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gosset-damage-'));
    const stage = await SqliteStage.prepare(join(folder, 'gosset.sqlite'));
    const backup = join(folder, 'backup.sqlite');
    await stage.start();
    stage.beginSending();
    await stage.seen(200);
    await stage.stop();
    copyFileSync(stage.file, backup);

    damage(stage.file, 'events');
    await stage.spawn();
    const before = stage.acknowledged;
    stage.beginSending();
    await stage.seen(503);
    expect(await stage.readiness(503)).toContain('restore the file from a backup');
    await stage.stop('SIGKILL');
    expect(stage.acknowledged).toBe(before);

    for (const table of ['pages', 'migrations']) {
      damage(stage.file, table);
      const refusing = await stage.spawn();
      expect([await refusing.exit, refusing.stderr]).toEqual([
        1,
        `The database file ${stage.file} cannot be used: it is damaged. Stop the server and restore the file from a backup. (SQLITE_CORRUPT)\n`,
      ]);
    }

    ['', '-wal', '-shm'].forEach((suffix) => rmSync(`${stage.file}${suffix}`, { force: true }));
    copyFileSync(backup, stage.file);
    await stage.start();
    stage.beginSending();
    await stage.seen(200);
    await stage.stop();
    await stage.expectNothingLost();
    rmSync(folder, { recursive: true });
  }, 120_000);
});
