import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteEnd } from './sqlite-end';

describe('a SQLite file of a copy', () => {
  it('is named in the error when the disk is full', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gosset-end-'));
    const file = join(folder, 'target.sqlite');
    writeFileSync(file, '');
    const end = new SqliteEnd(file);
    await end.run('CREATE TABLE filled (content blob)');
    await end.all('PRAGMA max_page_count = 10');
    const write = async (): Promise<number> => end.run('INSERT INTO filled VALUES (zeroblob(1000000))');
    const message = `The database file ${file} cannot be used: the disk is full. Free some disk space. (SQLITE_FULL)`;
    await expect(write()).rejects.toThrow(message);
    await expect(end.transaction(write)).rejects.toThrow(message);
    await end.close();
    rmSync(folder, { recursive: true });
  });
});
