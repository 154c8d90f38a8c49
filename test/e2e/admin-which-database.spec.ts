import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AdminCommand } from '../support/admin';
import { createTestDatabase, engine } from '../support/engine';
import { ServerProcess } from '../support/server-process';

/* Commands report which database they use. */

const admins: AdminCommand[] = [];
function adminWith(databaseUrl: string, dotenv = ''): AdminCommand {
  const admin = new AdminCommand(databaseUrl);
  writeFileSync(join(admin.folder, '.env'), dotenv);
  admins.push(admin);
  return admin;
}
/** The output of a separate process, which, unlike the shared one, reads a `.env` file. */
async function printedBy(admin: AdminCommand, command: string): Promise<unknown> {
  const { code, stdout, stderr } = await admin.runAlone([command, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}
afterEach(() => admins.splice(0).forEach((admin) => admin.remove()));

describe('the database that a command uses', () => {
  it('is reported on standard error, without a password, and standard output stays JSON', async () => {
    const store = await createTestDatabase();
    const admin = adminWith(store.url);
    await admin.json(['db:migrate']);
    const isSqlite = engine === 'sqlite';
    const [, shown = ''] = isSqlite ? ['', store.url.slice('sqlite:'.length)] : /([^/]+)$/.exec(store.url)!;
    expect(await printedBy(admin, 'users:list')).toEqual([]);
    const host = isSqlite ? '' : ` on ${new URL(store.url).host}`;
    expect(admin.database).toBe(`Database: ${isSqlite ? '' : 'MySQL, '}${shown}${host}\n`);
    await store.remove();
  });

  it('is reported without credentials, with all hosts', async () => {
    const admin = adminWith('mysql://ann:secret@127.0.0.1:1,127.0.0.1:2/shop');
    const { code } = await admin.run(['users:list']);
    expect([code, admin.database]).toEqual([1, 'Database: MySQL, shop on 127.0.0.1:1, 127.0.0.1:2\n']);
  });

  it.each(['users:create --name Ann', 'users:set-password'])(
    'is reported before a password is read: %s',
    async (words) => {
      const admin = adminWith('');
      const args = [...words.split(' '), '--email', 'ann@example.com', '--password-stdin'];
      const { code } = await admin.runAlone(args, 'short\n');
      expect([code, admin.database]).toEqual([1, expect.stringMatching(/^Database: .+\n$/)]);
    },
  );

  it('is reported neither by help nor on invalid usage', async () => {
    const admin = adminWith('');
    await admin.run(['setup', '--help']);
    await admin.run(['setup']);
    expect([admin.database, existsSync(join(admin.folder, 'data'))]).toEqual(['', false]);
  });

  it('is marked as new, with a pointer to the quick start database if it exists', async () => {
    const admin = adminWith('');
    const file = join(admin.folder, 'data/gosset.sqlite');
    await admin.runAlone(['users:list']);
    expect(admin.database).toBe(`Database: ${file} (new)\n`);
    await admin.run(['users:list']);
    expect(admin.database).toBe(`Database: ${file}\n`);
    const another = adminWith('');
    mkdirSync(join(another.folder, 'data/demo'), { recursive: true });
    writeFileSync(join(another.folder, 'data/demo/gosset.sqlite'), '');
    await another.run(['users:list']);
    expect(another.database).toContain('(new; the quick start uses a different file: ');
    expect(another.database).toContain('DATABASE_URL=sqlite:data/demo/gosset.sqlite');
  });
});

describe('if Docker Compose is configured', () => {
  const COMPOSE = 'SESSION_SECRET=0123456789abcdef0123456789abcdef\nMYSQL_PASSWORD=secret\n';

  it('no SQLite database is created, and the message explains what to do', async () => {
    const admin = adminWith('', COMPOSE);
    for (const command of [['users:list'], ['db:migrate'], ['db:seed-demo']]) {
      const { code, stdout, stderr } = await admin.runAlone(command);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('docker compose exec server node dist/src/admin.js');
      expect(stderr).toContain('DATABASE_URL=sqlite:data/gosset.sqlite');
    }
    expect(existsSync(join(admin.folder, 'data'))).toBe(false);
  });

  it('the server does not create a SQLite database either', async () => {
    const { folder } = adminWith('');
    const server = await ServerProcess.spawn({ MYSQL_PASSWORD: 'secret' }, folder);
    expect([await server.exit, existsSync(join(folder, 'data'))]).toEqual([1, false]);
    expect(server.stderr).toContain('would be a second, empty database');
  });

  it('an existing database is used, or the one in DATABASE_URL', async () => {
    const admin = adminWith('');
    await admin.runAlone(['users:create', '--email', 'ada@example.com', '--name', 'Ada']);
    writeFileSync(join(admin.folder, '.env'), COMPOSE);
    expect(await printedBy(admin, 'users:list')).toMatchObject([{ name: 'Ada' }]);
    const chosen = adminWith('sqlite:data/chosen.sqlite', COMPOSE);
    expect(await printedBy(chosen, 'users:list')).toEqual([]);
  });
});
