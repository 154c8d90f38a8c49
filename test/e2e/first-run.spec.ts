import { User } from '../../src/users/user.entities';
import { AdminAnswer, AdminCommand } from '../support/admin';
import { TestApi } from '../support/api';
import { ServerProcess } from '../support/server-process';
import { Visitor } from '../support/visitor';
import { eventually } from '../support/waiting';

/* A server without users, and the command that creates the first user. */

const PASSWORD = 'correct horse battery';
const SETUP = ['setup', '--name', 'Ada 💚', '--team', 'Growth', '--project', 'Shop', '--password-stdin'];
const ADA = ['--email', ' Ada@Example.com '];

let api: TestApi;
let admin: AdminCommand;

beforeEach(async () => {
  api = await TestApi.start();
  admin = new AdminCommand(api.databaseUrl, { PUBLIC_URL: 'https://ab.example.com' });
});
afterEach(async () => {
  admin.remove();
  await api.close();
});

const countOf = async (table: string): Promise<number> => {
  const [{ number }] = await api.database.read.query(`SELECT count(*) AS number FROM ${table}`);
  return Number(number);
};
const contents = (): Promise<number[]> =>
  Promise.all(['users', 'teams', 'memberships', 'projects', 'api_tokens', 'audit_entries'].map(countOf));

describe('setup', () => {
  it('creates a team with an admin, a project, and a working token', async () => {
    const made = await admin.json([...SETUP, ...ADA], `${PASSWORD}\n`);
    expect(made).toMatchObject({
      server: 'https://ab.example.com',
      user: { email: 'ada@example.com', name: 'Ada 💚', has_password: true },
      team: { name: 'Growth' },
      project: { name: 'Shop', team_id: made.team.id, storage: 'localStorage' },
      token: { abilities: ['read', 'write'], token: expect.stringMatching(/^gos_/) },
    });
    const client = api.as(made.token.token);
    expect((await client.get('/teams')).body).toEqual([made.team]);
    expect((await client.get(`/projects/${made.project.id}`)).body).toEqual(made.project);
    const { status } = await client.delete(`/projects/${made.project.id}`);
    expect(status).toBe(204);
    const browser = new Visitor(api);
    await browser.get('/login');
    const { location } = await browser.signIn({ email: 'ada@example.com' }, PASSWORD);
    expect(location).toBe('/');
  });

  it('prints the next steps', async () => {
    const { code, stdout } = await admin.runAlone([...SETUP, ...ADA], PASSWORD);
    expect(code).toBe(0);
    expect(stdout).toContain('https://ab.example.com/login');
    expect(stdout).toMatch(/<script src="https:\/\/ab\.example\.com\/s\/pk_\w+\.js"><\/script>/);
    const tokens = stdout.match(/gos_\w+/g) ?? [];
    expect([tokens.length, new Set(tokens).size]).toEqual([2, 1]);
    expect(stdout).toMatch(/ curl -H "Authorization: Bearer gos_\w+" "https:\/\/ab\.example\.com\/api\//);
  });

  it('creates nothing if the e-mail address is taken, or if there is no password', async () => {
    await api.database.transaction((tx) =>
      tx.getRepository(User).insert({
        ...{ email: 'ada@example.com', name: 'A', password_hash: null, rate_limit: null },
        ...{ disabled_at: null, teams_version: 1, created_at: 1, updated_at: 1 },
      }),
    );
    const before = await contents();
    expect(await admin.run([...SETUP, ...ADA], PASSWORD)).toEqual<AdminAnswer>({
      code: 1,
      stdout: '',
      stderr: 'A user with the e-mail address ada@example.com already exists. Nothing was created.\n',
    });
    const other = ['--email', 'bob@example.com'];
    expect(await admin.run([...SETUP, ...other], '')).toMatchObject({ code: 1, stdout: '' });
    expect(await admin.run([...SETUP.slice(0, -1), ...other])).toMatchObject({
      code: 2,
      stderr: 'Without a terminal, use --password-stdin to pass the password.\n',
    });
    expect(await contents()).toEqual(before);
  });

  it('creates nothing if any step fails', async () => {
    await api.database.writer.query('ALTER TABLE api_tokens RENAME TO gone');
    const { code } = await admin.run([...SETUP, ...ADA], PASSWORD);
    await api.database.writer.query('ALTER TABLE gone RENAME TO api_tokens');
    expect([code, await contents()]).toEqual([1, Array(6).fill(0)]);
  });
});

describe('a server without users', () => {
  const shown = async (): Promise<string> => (await new Visitor(api).get('/login')).text;

  it('explains on the sign-in page how to create the first user, until one exists', async () => {
    const page = await shown();
    expect(page).toContain('This server has no users yet.');
    expect(page).toContain('npm run -s admin -- setup --email you@example.com');
    expect(page).toContain('docker compose exec server node dist/src/admin.js setup --email');
    await admin.json([...SETUP, ...ADA], PASSWORD);
    expect(await shown()).not.toContain('setup');
  });

  it('logs the setup command when it starts', async () => {
    const start = async (): Promise<string> => {
      const server = await (await ServerProcess.spawn({ DATABASE_URL: api.databaseUrl })).ready();
      await eventually(() => server.stdout.includes('listens on'));
      server.kill('SIGTERM');
      await server.exit;
      return server.stdout;
    };
    expect(await start()).toContain('Create the first one: npm run -s admin -- setup --email');
    await admin.json([...SETUP, ...ADA], PASSWORD);
    expect(await start()).not.toContain('setup');
  });
});
