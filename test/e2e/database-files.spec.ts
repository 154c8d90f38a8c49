import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config';
import { resolveSessionSecret } from '../../src/config/session-secret';
import { Database } from '../../src/database/database';
import { loadSqliteDriver } from '../../src/database/sqlite-driver';
import { entities } from '../../src/entities';
import { isInstalled } from '../support/document-run';
import { readDocument } from '../support/documents';
import { engine } from '../support/engine';

const onSqlite = engine === 'sqlite' ? describe : describe.skip;

onSqlite('the files of a SQLite database', () => {
  let above: string;
  let folder: string;
  let umask: number;

  beforeEach(() => {
    above = mkdtempSync(join(tmpdir(), 'gosset-files-'));
    chmodSync(above, 0o755);
    folder = join(above, 'gosset', 'data');
    umask = process.umask(0o022);
  });

  afterEach(() => {
    process.umask(umask);
    rmSync(above, { recursive: true, force: true });
  });

  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  /** The permissions of the folder and all files while a server has the database open. */
  async function modesWhenOpen(): Promise<Record<string, string>> {
    const config = resolveSessionSecret(
      loadConfig({ DATABASE_URL: `sqlite:${join(folder, 'gosset.sqlite')}` }),
    );
    const database = await Database.open(config.database, entities);
    await database.writeProblem();
    const modes = Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]));
    await database.onApplicationShutdown();
    return { ...modes, folder: modeOf(folder) };
  }

  const PRIVATE = {
    'gosset.sqlite': '600',
    'gosset.sqlite-shm': '600',
    'gosset.sqlite-wal': '600',
    'session-secret': '600',
    folder: '700',
  };

  it('are created with their folders, readable only by their user', async () => {
    expect(await modesWhenOpen()).toEqual(PRIVATE);
    expect(modeOf(join(above, 'gosset'))).toBe('700');
    expect(modeOf(above)).toBe('755');
  });

  it('contain no deleted rows, neither in used nor in free pages', async () => {
    const file = join(folder, 'gosset.sqlite');
    const database = await Database.open(loadConfig({ DATABASE_URL: `sqlite:${file}` }).database, entities);
    const ids = Array.from({ length: 500 }, (_, number) => `deleted-visitor-${number}`);
    await database.transaction(async (tx) => {
      for (const id of [...ids, 'kept-visitor']) {
        await tx.query('INSERT INTO dirty_visitors (project_id, visitor_id) VALUES (1, ?)', [id]);
      }
    });
    await database.transaction((tx) =>
      tx.query('DELETE FROM dirty_visitors WHERE visitor_id <> ?', ['kept-visitor']),
    );
    await database.onApplicationShutdown();
    const bytes = readFileSync(file, 'latin1');
    expect(bytes.includes('kept-visitor')).toBe(true);
    expect(bytes.includes('deleted-visitor')).toBe(false);
  });

  it('lose permissions that an earlier release granted to other users', async () => {
    await modesWhenOpen();
    chmodSync(folder, 0o755);
    readdirSync(folder).forEach((name) => chmodSync(join(folder, name), 0o644));
    expect(await modesWhenOpen()).toEqual(PRIVATE);
  });

  it('can be in a shared folder, whose permissions do not change', async () => {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    writeFileSync(join(folder, 'notes.txt'), 'mine', { mode: 0o644 });
    expect(await modesWhenOpen()).toEqual({ ...PRIVATE, 'notes.txt': '644', folder: '755' });
  });
});

(engine === 'sqlite' && isInstalled('sqlite3') ? describe : describe.skip)('the documented backup', () => {
  const [commands = ''] =
    /^sqlite3 data\/gosset\.sqlite .*\.backup.*$/m.exec(readDocument('docs/production.md')) ?? [];
  const DEADLINE_MS = 15_000;
  const ROWS = 5_000;
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gosset-backup-'));
    ['data', 'backup'].forEach((name) => mkdirSync(join(folder, name)));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('finishes and is intact while another process commits', async () => {
    const Sqlite = loadSqliteDriver();
    const live = new Sqlite(join(folder, 'data', 'gosset.sqlite'));
    live.pragma('journal_mode = WAL');
    live.exec(
      'CREATE TABLE migrations (id INTEGER); CREATE TABLE events (id INTEGER PRIMARY KEY, body BLOB)',
    );
    const insert = live.prepare('INSERT INTO events (body) VALUES (randomblob(4000))');
    live.transaction(() => Array.from({ length: ROWS }, () => insert.run()))();
    const commits = setInterval(() => insert.run(), 2);
    const backup = spawn('sh', ['-c', `exec ${commands}`], {
      cwd: folder,
      stdio: 'ignore',
      timeout: DEADLINE_MS,
    });
    const exit = await once(backup, 'exit');
    clearInterval(commits);
    live.close();
    expect(exit).toEqual([0, null]);
    const copy = new Sqlite(join(folder, 'backup', 'gosset.sqlite'));
    const { stored } = copy.prepare('SELECT COUNT(*) AS stored FROM events').get() as { stored: number };
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    copy.close();
    expect(stored).toBeGreaterThanOrEqual(ROWS);
  });
});
