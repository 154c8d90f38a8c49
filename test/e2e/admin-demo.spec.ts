import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { verifyPassword } from '../../src/users/passwords';
import { User } from '../../src/users/user.entities';
import { AdminCommand } from '../support/admin';
import { TestApi } from '../support/api';
import { createTestDatabase, engine, TestDatabase } from '../support/engine';
import { contentsOf, createMigratedDatabase } from '../support/template';

const SERVER = 'http://localhost:4999';
const ROLES = ['viewer', 'editor', 'publisher', 'admin'];
const STATUSES = ['archive', 'draft', 'pause', 'preview', 'running'];

interface Experiment {
  id: number;
  status: string;
  variations: { js: string | null; css: string | null }[];
  audiences: unknown[];
  pages: unknown[];
  goals: unknown[];
  tags: string[];
  example_url: string | null;
}

describe('the demo', () => {
  let api: TestApi;
  let admin: AdminCommand;

  async function open(create?: () => Promise<TestDatabase>): Promise<void> {
    api = await TestApi.start({}, undefined, create);
    admin = new AdminCommand(api.databaseUrl, { PUBLIC_URL: SERVER });
  }

  afterEach(async () => {
    admin.remove();
    await api.close();
  });

  async function tokenOf(role: string): Promise<string> {
    const create = [
      'tokens:create',
      '--email',
      `${role}@demo.example`,
      '--name',
      'T',
      '--permission',
      'write',
    ];
    return (await admin.json(create)).token;
  }

  function secrets(): { file: string; content: Record<string, string> } {
    const folder =
      engine === 'sqlite' ? dirname(api.databaseUrl.slice('sqlite:'.length)) : join(admin.folder, 'data');
    const file = join(folder, 'demo.json');
    return { file, content: JSON.parse(readFileSync(file, 'utf8')) };
  }

  async function canSignIn(email: string, password: string): Promise<boolean> {
    const user = await api.database.read.getRepository(User).findOneByOrFail({ email });
    return verifyPassword(user.password_hash ?? '', password);
  }

  describe('once it has been created', () => {
    let contents: Buffer | string;
    let demo: Awaited<ReturnType<AdminCommand['json']>>;

    beforeAll(async () => {
      const store = await createMigratedDatabase();
      const seeding = new AdminCommand(store.url, { PUBLIC_URL: SERVER });
      demo = await seeding.json(['db:seed-demo']);
      contents = await contentsOf(store.url);
      seeding.remove();
      await store.remove();
    });

    beforeEach(() => open(() => createTestDatabase(contents)));

    it('has one user per role, and complete experiments in every status', async () => {
      expect(demo).toMatchObject({ created: true, team: { name: 'Demo' }, project: { name: 'Shop' } });
      expect(demo.users).toMatchObject(ROLES.map((role) => ({ email: `${role}@demo.example`, role })));
      const client = api.as(await tokenOf('viewer'));
      expect((await client.get('/teams')).body).toMatchObject([{ id: demo.team.id, name: 'Demo' }]);
      const project = `/projects/${demo.project.id}`;
      for (const [kind, count] of Object.entries({
        environments: 2,
        audiences: 3,
        pages: 3,
        goals: 4,
        experiments: 5,
      })) {
        const { body } = await client.get(`${project}/${kind}`);
        expect([kind, body.length]).toEqual([kind, count]);
        expect(demo[kind]).toMatchObject(
          body.map(({ id, name }: { id: number; name: string }) => ({ id, name })),
        );
      }
      const experiments: Experiment[] = (await client.get(`${project}/experiments`)).body;
      expect(experiments.map(({ status }) => status).sort()).toEqual(STATUSES);
      for (const { variations, pages, goals, tags, example_url } of experiments) {
        expect([2, 3]).toContain(variations.length);
        expect(variations.some(({ js, css }) => js !== null || css !== null)).toBe(true);
        expect([pages.length, goals.length, tags.length, example_url]).not.toContain(0);
        expect(example_url).toMatch(/^http:\/\/localhost:3001\//);
      }
      expect(experiments.some(({ audiences }) => audiences.length === 2)).toBe(true);
      expect((await client.delete(project)).status).toBe(403);
    });

    it('is not created again, and changes to it are kept', async () => {
      const client = api.as(await tokenOf('admin'));
      const [first, ...others] = demo.experiments;
      const project = `/projects/${demo.project.id}`;
      await client.patch(`${project}/experiments/${first.id}/status`, { status: 'pause' });
      await client.delete(`${project}/experiments/${first.id}`);
      expect(await admin.json(['db:seed-demo'])).toEqual({ ...demo, created: false, experiments: others });
      const { stdout } = await admin.run(['db:seed-demo']);
      expect(stdout).toContain('already exists and was not changed');
      expect(stdout).not.toContain(first.name);
      await client.delete(`${project}/experiments/${others[0].id}`);
      await client.delete(project);
      expect(await admin.json(['db:seed-demo'])).toMatchObject({
        created: false,
        project: null,
        experiments: [],
      });
    });

    it('has no passwords by default', async () => {
      for (const role of ROLES) {
        expect(await admin.json(['tokens:list', '--email', `${role}@demo.example`])).toEqual([]);
        expect(await canSignIn(`${role}@demo.example`, '').catch(() => false)).toBe(false);
      }
    });
  });

  describe('for the quick start', () => {
    beforeEach(() => open());

    it('is ready to use, and the printed requests work', async () => {
      const { code, stdout, stderr } = await admin.run(['db:seed-demo', '--quickstart']);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`${SERVER}\n`);
      expect(stdout).toContain(`${SERVER}/docs\n`);
      expect(stdout).toMatch(/^ {2}Sign in +http:\/\/localhost:4999\/login$/m);
      expect(stdout).toMatch(/^ {2}Shop +http:\/\/localhost:3001$/m);
      const [{ share_token }] = await api.database.read.query(
        'SELECT share_token FROM experiments ORDER BY id',
      );
      expect(stdout).toContain(`${SERVER}/share/${share_token} (Green buy button)\n`);
      const { file, content } = secrets();
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(existsSync(`${file}.new`)).toBe(false);
      for (const role of ROLES) {
        expect(stdout).toMatch(new RegExp(`^  ${role}@demo\\.example +${role} +${content.password}$`, 'm'));
        expect(await canSignIn(`${role}@demo.example`, content.password ?? '')).toBe(true);
      }
      const requests = stdout.split('\n').filter((line) => line.startsWith('  curl '));
      expect(requests).toHaveLength(4);
      expect(requests.filter((line) => line.endsWith('/results"'))).toHaveLength(1);
      for (const line of requests) {
        const [, token = '', method = 'GET', body, path = ''] =
          /^ {2}curl -H "Authorization: Bearer (\S+)"(?: -X (\w+) -H "Content-Type: application\/json" -d '(.*)')? "http:\/\/localhost:4999\/api(\S+)"$/.exec(
            line,
          ) ?? [];
        const answer = await api.as(token).send(method as 'GET', path, body);
        expect([line, answer.status]).toEqual([line, 200]);
      }
    });

    it('reuses its secrets as long as they work', async () => {
      const quickstart = ['db:seed-demo', '--quickstart'];
      const first = await admin.json(quickstart);
      const again = await admin.json(quickstart);
      expect(again).toEqual({ ...first, created: false });
      expect(await admin.json(['tokens:list', '--email', 'admin@demo.example'])).toMatchObject([
        { name: 'Quickstart', abilities: ['read', 'write'], last_used_at: null },
      ]);
      const [{ id }] = await admin.json(['tokens:list', '--email', 'admin@demo.example']);
      await admin.json(['tokens:revoke', '--id', String(id)]);
      await admin.json(
        ['users:set-password', '--email', 'viewer@demo.example', '--password-stdin'],
        'another password',
      );
      const later = await admin.json(quickstart);
      expect(later.token).not.toBe(first.token);
      expect((await api.as(later.token).get('/teams')).status).toBe(200);
      expect(later.passwords).toEqual({ ...first.passwords, 'viewer@demo.example': null });
      expect(await canSignIn('viewer@demo.example', 'another password')).toBe(true);
      expect(secrets().content).toEqual({
        password: first.passwords['admin@demo.example'],
        token: later.token,
      });
      await admin.json(['users:disable', '--email', 'admin@demo.example']);
      expect(await admin.json(quickstart)).toMatchObject({ token: null });
    });
  });
});
