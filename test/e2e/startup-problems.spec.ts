import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSqliteDriver } from '../../src/database/sqlite-driver';
import { testConfig } from '../support/api';
import { AdminCommand } from '../support/admin';
import { createConnection } from 'mysql2/promise';
import { createTestDatabase, engine, type TestDatabase } from '../support/engine';
import { Database } from '../../src/database/database';
import { entities } from '../../src/entities';
import { ServerProcess } from '../support/server-process';
import { createMigratedDatabase } from '../support/template';

const MCP = join(__dirname, '../../dist/src/mcp.js');
const WITHOUT_SQLITE = join(__dirname, '../support/without-sqlite.cjs');
const PASSWORD = 's3cret-of-the-database';

/**
 * The messages with which the server and the admin command refuse to start. Asserts that they print nothing else, print
 * to standard error, and exit with code 1.
 */
async function refusals(environment: Record<string, string>): Promise<string[]> {
  const server = await ServerProcess.spawn(environment);
  const { DATABASE_URL = 'sqlite:data/x.sqlite', ...others } = environment;
  const command = new AdminCommand(DATABASE_URL, others);
  // A process loads the driver only once, so the command needs its own process if the driver is missing.
  const asked = 'NODE_OPTIONS' in others ? command.runAlone(['users:list']) : command.run(['users:list']);
  const [code, answer] = await Promise.all([server.exit, asked]);
  command.remove();
  expect([code, server.stdout, answer.code, answer.stdout]).toEqual([1, '', 1, '']);
  return [server.stderr, answer.stderr];
}

/** Asserts that both the server and the admin command print `sentence`. */
async function expectSentence(environment: Record<string, string>, sentence: string): Promise<void> {
  expect(await refusals(environment)).toEqual([`${sentence}\n`, `${sentence}\n`]);
}

const permissionsOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const onSqlite = engine === 'sqlite' ? describe : describe.skip;
const onMysql = engine === 'mysql' ? describe : describe.skip;

onSqlite('a database file that cannot be used', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gosset-startup-'));
    file = join(folder, 'gosset.sqlite');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const cannotBeUsed = (problem: string): Promise<void> =>
    expectSentence(
      { DATABASE_URL: `sqlite:${file}` },
      `The database file ${file} cannot be used: ${problem}`,
    );

  it('because it is not a database', async () => {
    writeFileSync(file, 'This is a text of some length. '.repeat(1_000));
    await cannotBeUsed(
      'it is not a SQLite database. Restore it from a backup, or set DATABASE_URL to another file. (SQLITE_NOTADB)',
    );
  });

  it('because it is truncated', async () => {
    const whole = join(folder, 'whole.sqlite');
    const database = await Database.open(testConfig({ DATABASE_URL: `sqlite:${whole}` }).database, entities);
    await database.onApplicationShutdown();
    copyFileSync(whole, file);
    truncateSync(file, 16_384);
    await cannotBeUsed('it is damaged. Stop the server and restore the file from a backup. (SQLITE_CORRUPT)');
  });

  it('because the driver is missing', async () => {
    await expectSentence(
      { DATABASE_URL: `sqlite:${file}`, NODE_OPTIONS: `--require ${WITHOUT_SQLITE}` },
      'The SQLite driver is not installed: there is no prebuilt driver for this system, and npm could not compile one. Install Python 3, make and a C++ compiler, and run npm ci again.',
    );
  });

  it('because it is a folder', async () => {
    mkdirSync(file);
    await expectSentence(
      { DATABASE_URL: `sqlite:${file}` },
      `The database file ${file} is a folder. Set DATABASE_URL to a file.`,
    );
  });

  it('because it is a device, which keeps its permissions', async () => {
    spawnSync('mkfifo', ['-m', '666', file]);
    await expectSentence(
      { DATABASE_URL: `sqlite:${file}` },
      `The database file ${file} is a device. Set DATABASE_URL to a file.`,
    );
    expect(permissionsOf(file)).toBe('666');
  });

  it('because its folder is a file', async () => {
    writeFileSync(file, '');
    file = join(file, 'gosset.sqlite');
    await cannotBeUsed('part of its path is not a folder. Set DATABASE_URL to another file.');
  });

  it('because it is a link to a disk that is not mounted', async () => {
    symlinkSync(join(folder, 'disk', 'gosset.sqlite'), file);
    await cannotBeUsed(
      'it is a symbolic link to a missing file, or its folder cannot be created. Create the folder, or set DATABASE_URL to another file.',
    );
  });

  it('because its name is too long', async () => {
    file = join(folder, 'x'.repeat(300));
    await cannotBeUsed('part of its path is too long. Set DATABASE_URL to another file.');
  });

  it.each([
    ['', 'CREATE TABLE albums (title TEXT)'],
    [
      ' with migrations of its own',
      'CREATE TABLE albums (title TEXT); CREATE TABLE migrations (id INTEGER PRIMARY KEY, migration TEXT)',
    ],
  ])('because it belongs to another program%s, and stays unchanged', async (_which, sql) => {
    const Driver = loadSqliteDriver();
    new Driver(file).exec(sql).close();
    chmodSync(file, 0o644);
    const before = readFileSync(file);
    await expectSentence(
      { DATABASE_URL: `sqlite:${file}` },
      `The database file ${file} belongs to another program. Set DATABASE_URL to another file, such as sqlite:data/gosset.sqlite.`,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(permissionsOf(file)).toBe('644');
  });

  it('because it belongs to another program, and no session secret is written next to it', async () => {
    const Driver = loadSqliteDriver();
    new Driver(file).exec('CREATE TABLE albums (title TEXT)').close();
    const server = await ServerProcess.spawn({ DATABASE_URL: `sqlite:${file}`, SESSION_SECRET: '' });
    expect(await server.exit).toBe(1);
    expect(server.stderr).toContain('belongs to another program');
    expect(readdirSync(folder)).toEqual(['gosset.sqlite']);
  });

  it('is not blamed for a truncated session secret', async () => {
    const secret = join(folder, 'session-secret');
    writeFileSync(secret, '');
    const server = await ServerProcess.spawn({ DATABASE_URL: `sqlite:${file}`, SESSION_SECRET: '' });
    expect(await server.exit).toBe(1);
    expect(server.stderr).toBe(
      `The configuration is invalid:\n  - ${secret} is damaged. Delete it; the server creates a new one at startup.\n`,
    );
  });
});

onMysql('a MySQL database that does not exist', () => {
  it('is reported with its name and a solution', async () => {
    const store = await createTestDatabase();
    await store.remove();
    const name = new URL(store.url).pathname.slice(1);
    await expectSentence(
      { DATABASE_URL: store.url },
      `The MySQL server has no database "${name}". Create it (CREATE DATABASE \`${name}\` CHARACTER SET utf8mb4), or correct DATABASE_URL.`,
    );
  });
});

onMysql('a MySQL user without permissions on the database', () => {
  const USER = 'gosset_stranger';
  let store: TestDatabase;
  let url: URL;

  const query = (sql: string): Promise<unknown> =>
    createConnection({ uri: store.url, multipleStatements: true }).then((connection) =>
      connection.query(sql).finally(() => connection.end()),
    );

  beforeAll(async () => {
    store = await createTestDatabase();
    url = Object.assign(new URL(store.url), { username: USER, password: PASSWORD });
    await query(
      ['localhost', '%'].map((host) => `CREATE USER ${USER}@'${host}' IDENTIFIED BY '${PASSWORD}';`).join(''),
    );
  });

  afterAll(async () => {
    await query(`DROP USER ${USER}@'localhost', ${USER}@'%'`);
    await store.remove();
  });

  it('is reported with the user name and a solution', async () => {
    for (const said of await refusals({ DATABASE_URL: url.href })) {
      expect(said).toMatch(
        /^Access denied for user 'gosset_stranger'@'[^']+' to database '\w+'\. Create the database if it does not exist, and grant the user all privileges on it, or correct DATABASE_URL\.\n$/,
      );
    }
  });
});

describe('a database that a later release has migrated', () => {
  it('is rejected, with a solution', async () => {
    const store = await createTestDatabase();
    const opened = await Database.open(testConfig({ DATABASE_URL: store.url }).database, entities);
    await opened.migrate();
    await opened.transaction((tx) =>
      tx.query("INSERT INTO migrations (timestamp, name) VALUES (1999999999999, 'Later1999999999999')"),
    );
    await opened.onApplicationShutdown();
    await expectSentence(
      { DATABASE_URL: store.url },
      'A later release has migrated this database: Later1999999999999. Install that release, or restore the backup that was made before the upgrade.',
    );
    await store.remove();
  });
});

onSqlite('a migration that fails', () => {
  it('causes no output on standard output', async () => {
    const store = await createTestDatabase();
    const Driver = loadSqliteDriver();
    const file = new Driver(store.url.replace(/^sqlite:/, ''));
    file.exec('CREATE TABLE migrations (id integer PRIMARY KEY, timestamp bigint, name varchar)');
    file.exec('CREATE TABLE users (id integer)');
    file.prepare('INSERT INTO migrations (timestamp, name) VALUES (1, ?)').run('People1780000000000');
    file.close();
    const command = new AdminCommand(store.url);
    const { code, stdout } = await command.runAlone(['db:migrate', '--json']);
    expect([code, stdout]).toEqual([1, '']);
    command.remove();
    await store.remove();
  });
});

describe('a .env file that cannot be read', () => {
  it('is reported by the server, the admin command and the MCP program, with a solution', async () => {
    const command = new AdminCommand('sqlite:gosset.sqlite');
    const file = join(command.folder, '.env');
    mkdirSync(file);
    const problem = `${file} cannot be read. Make the file readable for the current user, or start Gosset in another folder.`;
    const server = await ServerProcess.spawn({ DATABASE_URL: 'sqlite:gosset.sqlite' }, command.folder);
    const asked = await command.runAlone(['users:list']);
    const assistant = spawnSync(process.execPath, [MCP], { cwd: command.folder, encoding: 'utf8' });
    expect([await server.exit, asked.code, assistant.status]).toEqual([1, 1, 1]);
    expect([server.stderr, asked.stderr, assistant.stderr]).toEqual([
      `The configuration is invalid:\n  - ${problem}\n`,
      `The configuration is invalid:\n  - ${problem}\n`,
      `${problem}\n`,
    ]);
    command.remove();
  });
});

describe('a database that accepts connections and does not respond', () => {
  it('is given up after a few attempts', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const copies = mkdtempSync(join(tmpdir(), 'gosset-startup-'));
    const server = await ServerProcess.spawn({
      DATABASE_URL: `mysql://root@127.0.0.1:${port}/gosset`,
      CACHE_DIR: copies,
    });
    expect(await server.exit).toBe(1);
    silent.close();
    rmSync(copies, { recursive: true, force: true });
    expect(server.stderr).toBe('connect ETIMEDOUT\n');
    expect(server.logLines().length).toBeLessThan(8);
  });
});

describe('a cache folder that cannot be created', () => {
  it('causes a warning, and the server starts', async () => {
    const store = await createMigratedDatabase();
    const server = await ServerProcess.spawn({
      DATABASE_URL: store.url,
      CACHE_DIR: '/dev/null/cache',
      LOG_LEVEL: 'warn',
    });
    await server.ready();
    expect(server.logLines()).toMatchObject([
      { msg: expect.stringContaining('Copies of revisions cannot be stored in /dev/null/cache: ENOTDIR') },
    ]);
    server.kill('SIGTERM');
    await server.exit;
    await store.remove();
  });
});

describe('an unknown address to listen on', () => {
  it('is rejected, with a solution', async () => {
    const store = await createTestDatabase();
    const database = await Database.open(testConfig({ DATABASE_URL: store.url }).database, entities);
    await database.migrate();
    await database.onApplicationShutdown();
    const server = await ServerProcess.spawn({ DATABASE_URL: store.url, HOST: 'gosset.invalid' });
    expect(await server.exit).toBe(1);
    expect(server.stderr).toMatch(
      /^Cannot listen on gosset\.invalid:\d+: the host name has no address\. Set HOST to an address of this machine, such as 127\.0\.0\.1 or 0\.0\.0\.0\.\n$/,
    );
    await store.remove();
  });
});

describe('an invalid URL with a password', () => {
  it.each([
    ['REDIS_URL', `redis//:${PASSWORD}@127.0.0.1:6379`],
    ['DATABASE_URL', `mysql://gosset:${PASSWORD}%@127.0.0.1:1/gosset`],
    ['DATABASE_URL', `mysql://gosset:${PASSWORD}@127.0.0.1:1/gosset?ssl=true`],
  ])('in %s is rejected without showing the password: %s', async (name, value) => {
    for (const said of await refusals({ [name]: value })) {
      expect(said).toMatch(new RegExp(`^The configuration is invalid:\n  - ${name} must be [^\n]+\n$`));
      expect(said).not.toContain(PASSWORD);
    }
  });
});
