import { verifyPassword } from '../../src/users/passwords';
import { User } from '../../src/users/user.entities';
import { AdminAnswer, AdminCommand } from '../support/admin';
import { TestApi } from '../support/api';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const tokensCreate = (email: string, name: string, permission: string): string[] => [
  ...['tokens:create', '--email', email, '--name', name, '--permission', permission],
];

describe('the admin command for users', () => {
  let api: TestApi;
  let admin: AdminCommand;

  beforeAll(async () => {
    api = await TestApi.start();
    admin = new AdminCommand(api.databaseUrl);
  });

  afterAll(async () => {
    admin.remove();
    await api.close();
  });

  async function passwordHash(email: string): Promise<string | null> {
    return (await api.database.read.getRepository(User).findOneByOrFail({ email })).password_hash;
  }

  async function refused(args: string[], reason: string, input?: string): Promise<void> {
    const answer = await admin.run([...args, '--json'], input);
    expect(answer).toEqual<AdminAnswer>({ code: 1, stdout: '', stderr: `${reason}\n` });
  }

  it('creates users with trimmed e-mail addresses in lower case', async () => {
    const created = await admin.json(['users:create', '--email', ' Ada@Example.com ', '--name', ' Ada 💚 ']);
    expect(created).toEqual({
      id: expect.any(Number),
      email: 'ada@example.com',
      name: 'Ada 💚',
      rate_limit: null,
      has_password: false,
      disabled_at: null,
      created_at: expect.stringMatching(TIME),
      updated_at: created.created_at,
    });
    await refused(
      ['users:create', '--email', 'ADA@example.com', '--name', 'Another'],
      'A user with the e-mail address ada@example.com already exists.',
    );
  });

  it('reads passwords from standard input, and accepts only valid ones', async () => {
    const password = 'pässword 💚';
    const email = 'p@example.com';
    const create = ['users:create', '--email', email, '--name', 'P', '--password-stdin'];
    expect(await admin.runAlone(create, `${password}\n`)).toMatchObject({ code: 0, stderr: '' });
    expect(await verifyPassword((await passwordHash(email)) ?? '', password)).toBe(true);
    const set = ['users:set-password', '--email', email, '--password-stdin'];
    await refused(set, 'The password must have 10 to 1024 characters, not 9.', '123456789\n');
    await refused(set, 'The password must have 10 to 1024 characters, not 1025.', 'a'.repeat(1025));
    await refused(set, 'The password must be a single line.', 'correct\nhorse battery\n');
    const blank = 'The password consists only of spaces. Add letters, digits or other characters.';
    await refused(set, blank, `${' '.repeat(10)}\n`);
    expect(await verifyPassword((await passwordHash(email)) ?? '', password)).toBe(true);
    expect(await admin.json(set, 'a'.repeat(200))).toMatchObject({ email, has_password: true });
    expect(await verifyPassword((await passwordHash(email)) ?? '', 'a'.repeat(200))).toBe(true);
  });

  it('lists users as JSON and as a table', async () => {
    const { id, email } = await api.person(600);
    const listed: { id: number }[] = await admin.json(['users:list']);
    expect(listed.map((user) => user.id)).toEqual([...listed.map((user) => user.id)].sort((a, b) => a - b));
    expect(listed.find((user) => user.id === id)).toMatchObject({ email, rate_limit: 600 });
    expect(await admin.json(['users:list', '--email', email])).toEqual([
      listed.find((user) => user.id === id),
    ]);
    const { stdout } = await admin.run(['users:list']);
    const [headline, ...rows] = stdout.trimEnd().split('\n');
    expect(headline).toMatch(/^id +email +name +rate_limit /);
    const row = rows.find((line) => line.includes(email));
    expect(row?.indexOf(email)).toBe(headline?.indexOf('email'));
    expect(row?.indexOf('600')).toBe(headline?.indexOf('rate_limit'));
  });

  it('limits, disables and enables users', async () => {
    const { email } = await api.person();
    const user = ['--email', email];
    expect(await admin.json(['users:set-rate-limit', ...user, '--rate-limit', '0'])).toMatchObject({
      rate_limit: 0,
    });
    const disabled = await admin.json(['users:disable', ...user]);
    expect(disabled).toMatchObject({ email, rate_limit: 0, disabled_at: expect.stringMatching(TIME) });
    expect(await admin.json(['users:enable', ...user])).toMatchObject({ email, disabled_at: null });
  });

  it('rejects unknown users', async () => {
    const nobody = ['--email', 'nobody@example.com'];
    const team = String(await api.team());
    const commands = [
      ['users:list', ...nobody],
      ['users:set-rate-limit', ...nobody, '--rate-limit', '1'],
      ['users:disable', ...nobody],
      ['users:enable', ...nobody],
      ['users:unlink', ...nobody],
      ['teams:add-member', '--team', team, ...nobody, '--role', 'admin'],
      ['tokens:create', ...nobody, '--name', 'CI', '--permission', 'read'],
      ['tokens:list', ...nobody],
    ];
    const reason = 'There is no user with the e-mail address nobody@example.com.';
    await Promise.all(commands.map((args) => refused(args, reason)));
    await refused(['users:set-password', ...nobody, '--password-stdin'], reason, 'correct horse');
  });

  it('creates and lists teams', async () => {
    const created = await admin.json(['teams:create', '--name', ' Growth ']);
    expect(created).toEqual({
      id: expect.any(Number),
      name: 'Growth',
      created_at: expect.stringMatching(TIME),
      updated_at: created.created_at,
    });
    expect(await admin.json(['teams:list'])).toContainEqual(created);
    expect(await admin.json(['teams:list', '--name', 'Growth'])).toEqual([created]);
    const { stdout } = await admin.run(['teams:list', '--name', 'Nobody has this name']);
    expect(stdout).toBe('There are no teams.\n');
  });

  it('adds members to teams, changes their roles and removes them', async () => {
    const { id, email } = await api.person();
    const team = String(await api.team());
    const member = ['--team', team, '--email', email];
    const membership = { team_id: Number(team), user_id: id, email };
    await refused(
      ['teams:set-role', ...member, '--role', 'admin'],
      `${email} is not a member of team ${team}.`,
    );
    expect(await admin.json(['teams:add-member', ...member, '--role', 'viewer'])).toEqual({
      ...membership,
      role: 'viewer',
    });
    await refused(
      ['teams:add-member', ...member, '--role', 'admin'],
      `${email} is already a member of team ${team}.`,
    );
    expect(await admin.json(['teams:set-role', ...member, '--role', 'publisher'])).toEqual({
      ...membership,
      role: 'publisher',
    });
    expect(await admin.json(['teams:remove-member', ...member])).toEqual({ ...membership, role: null });
    await refused(['teams:remove-member', ...member], `${email} is not a member of team ${team}.`);
    await refused(
      ['teams:add-member', '--team', '987654', '--email', email, '--role', 'viewer'],
      'There is no team 987654.',
    );
  });

  it('refuses to remove the last admin of a team', async () => {
    const [first, second] = [await api.person(), await api.person()];
    const team = await api.team();
    await api.join(team, first, 'admin');
    const member = ['--team', String(team), '--email', first.email];
    const reason =
      'This is the last admin of the team. Make another member an admin first, so that someone can manage the team. Invited admins do not count until they have set a password.';
    await refused(['teams:remove-member', ...member], reason);
    await refused(['teams:set-role', ...member, '--role', 'viewer'], reason);
    expect(await admin.json(['teams:set-role', ...member, '--role', 'admin'])).toMatchObject({
      role: 'admin',
    });
    await api.join(team, second, 'admin');
    expect(await admin.json(['teams:remove-member', ...member])).toMatchObject({ role: null });
  });

  it('creates tokens that work, lists them without the secret, and revokes them', async () => {
    const { email } = await api.person();
    const issued = await admin.json(tokensCreate(email, ' CI ', 'write'));
    expect(issued).toEqual({
      id: expect.any(Number),
      name: 'CI',
      abilities: ['read', 'write'],
      token: expect.stringMatching(/^gos_[0-9A-Za-z]{46}$/),
    });
    const reading = await admin.json(tokensCreate(email, 'BI', 'read'));
    expect((await api.as(issued.token).get('/teams')).status).toBe(200);
    expect((await api.as(reading.token).get('/teams')).status).toBe(200);
    await api.usesStored();
    const list = async (): Promise<Record<string, unknown>[]> =>
      admin.json(['tokens:list', '--email', email]);
    const [first, ...rows] = await list();
    expect(first).toMatchObject({ name: 'Test', last_used_at: null });
    expect(rows).toEqual([
      {
        id: issued.id,
        name: 'CI',
        abilities: ['read', 'write'],
        expires_at: null,
        projects: null,
        last_used_at: expect.any(String),
        created_at: expect.any(String),
      },
      {
        id: reading.id,
        name: 'BI',
        abilities: ['read'],
        expires_at: null,
        projects: null,
        last_used_at: expect.any(String),
        created_at: expect.any(String),
      },
    ]);
    expect(await admin.json(['tokens:revoke', '--id', String(issued.id)])).toEqual({
      id: issued.id,
      revoked: true,
    });
    await refused(['tokens:revoke', '--id', String(issued.id)], `There is no token ${issued.id}.`);
    expect(await list()).toEqual([first, rows[1]]);
  });

  it('limits tokens to a number of days, and to projects of their user', async () => {
    const person = await api.person();
    const teamId = await api.team();
    await api.join(teamId, person, 'viewer');
    const [shop, blog] = [await api.project(teamId), await api.project(teamId, 'Blog')];
    const create = tokensCreate(person.email, 'CI', 'read');
    const projects = ['--project', String(blog), '--project', String(shop), '--project', String(blog)];
    const before = Date.now();
    const { token } = await admin.json([...create, '--expires-days', '2', ...projects]);
    expect((await api.as(token).get(`/teams/${teamId}/projects`)).body).toHaveLength(2);
    const [, limited] = await admin.json(['tokens:list', '--email', person.email]);
    expect(limited.projects).toEqual([
      { id: blog, name: 'Blog' },
      { id: shop, name: 'Shop' },
    ]);
    expect((Date.parse(limited.expires_at) - before) / 86_400_000).toBeCloseTo(2, 2);
    const { stdout } = await admin.run(['tokens:list', '--email', person.email]);
    expect(stdout).toMatch(/^id +name +abilities +last_used_at +created_at +expires_at +projects$/m);
    expect(stdout).toContain(`Blog (${blog}), Shop (${shop})`);
    const foreign = await api.project(await api.team('Others'));
    await refused(
      [...create, '--project', String(shop), '--project', String(foreign)],
      `The user cannot see project ${foreign}.`,
    );
  });

  it('explains that a token is shown only once', async () => {
    const { email } = await api.person();
    const { stdout } = await admin.run(tokensCreate(email, 'A', 'read'));
    expect(stdout).toMatch(/^token +gos_[0-9A-Za-z]{46}$/m);
    expect(stdout).toContain('cannot be shown again');
    const { stdout: list } = await admin.run(['tokens:list', '--email', email]);
    expect(list).not.toContain('gos_');
  });

  it('shows names without terminal control characters', async () => {
    const name = 'red \u001b[31mna\u202eme 👩\u200d💻';
    const id = await api.team(name);
    const { stdout } = await admin.run(['teams:list', '--name', name]);
    expect(stdout).toMatch(new RegExp(`^${id} +red �\\[31mna�me 👩\u200d💻 `, 'm'));
  });

  it('also accepts --json before the command name', async () => {
    const { stdout } = await admin.run(['--json', 'teams:list']);
    expect(JSON.parse(stdout)).toEqual(await admin.json(['teams:list']));
  });

  it('records its changes in the audit log with its own source, without secrets', async () => {
    const { email, id } = await api.person();
    const { token } = await admin.json(tokensCreate(email, 'A', 'read'));
    await admin.json(['users:set-password', '--email', email, '--password-stdin'], 'correct horse battery');
    await admin.json(['users:disable', '--email', email]);
    const entries: { source: string; action: string; after: string }[] = await api.database.read.query(
      "SELECT source, action, `after` FROM audit_entries WHERE item_type = 'user' AND item_id = ? ORDER BY id",
      [id],
    );
    expect(entries.map(({ source, action }) => [source, action])).toEqual([
      ['admin', 'create'],
      ['admin', 'set-password'],
      ['admin', 'disable'],
    ]);
    const everything = JSON.stringify(await api.database.read.query('SELECT * FROM audit_entries'));
    expect(everything).not.toContain(token);
    expect(everything).not.toContain('correct horse');
  });
});
