import { setTimeout as sleep } from 'node:timers/promises';
import { AdminCommand } from '../support/admin';
import { Person, TestApi, World } from '../support/api';
import { eventually } from '../support/waiting';

const PROCESSES = 3;
const PROJECTS_EACH = 3;
const PAGES = 100;
/** The documented delay until other processes notice a change. */
const DOCUMENTED_MS = 5_000;

describe('the admin command with a running server', () => {
  let api: TestApi;
  let admin: AdminCommand;
  let world: World;

  beforeAll(async () => {
    api = await TestApi.start();
    admin = new AdminCommand(api.databaseUrl);
    world = await api.world();
  });

  afterAll(async () => {
    admin.remove();
    await api.close();
  });

  const soonAnswers = (person: Person, path: string, status: number): Promise<boolean> =>
    eventually(async () => (await person.client.get(path)).status === status, DOCUMENTED_MS);

  const soonMayWrite = (person: Person, status: number): Promise<boolean> =>
    eventually(
      async () => (await person.client.post(`${world.project}/audiences`, { name: 'A' })).status === status,
      DOCUMENTED_MS,
    );

  it("limits a user's requests within 5 seconds", async () => {
    const person = await api.person();
    const set = ['users:set-rate-limit', '--email', person.email, '--rate-limit'];
    expect((await person.client.get('/teams')).status).toBe(200);
    await admin.json([...set, '1']);
    expect(await soonAnswers(person, '/teams', 429)).toBe(true);
    await admin.json([...set, '0']);
    expect(await soonAnswers(person, '/teams', 200)).toBe(true);
  });

  it('disables and enables a user within 5 seconds', async () => {
    const person = await api.person();
    expect((await person.client.get('/teams')).status).toBe(200);
    await admin.json(['users:disable', '--email', person.email]);
    expect(await soonAnswers(person, '/teams', 401)).toBe(true);
    await admin.json(['users:enable', '--email', person.email]);
    expect(await soonAnswers(person, '/teams', 200)).toBe(true);
  });

  it('revokes a token within 5 seconds', async () => {
    const person = await api.person();
    expect((await person.client.get('/teams')).status).toBe(200);
    const [{ id }] = await admin.json(['tokens:list', '--email', person.email]);
    await admin.json(['tokens:revoke', '--id', String(id)]);
    expect(await soonAnswers(person, '/teams', 401)).toBe(true);
  });

  it("changes a member's role within 5 seconds", async () => {
    const person = await api.person();
    const member = ['--team', String(world.teamId), '--email', person.email];
    expect((await person.client.get(world.project)).status).toBe(404);
    await admin.json(['teams:add-member', ...member, '--role', 'viewer']);
    expect(await soonAnswers(person, world.project, 200)).toBe(true);
    expect(await soonMayWrite(person, 403)).toBe(true);
    await admin.json(['teams:set-role', ...member, '--role', 'editor']);
    expect(await soonMayWrite(person, 201)).toBe(true);
    await admin.json(['teams:remove-member', ...member]);
    expect(await soonAnswers(person, world.project, 404)).toBe(true);
  });

  it('invalidates lists that clients have cached', async () => {
    const { client } = world.people.viewer;
    const lists = {
      '/teams': ['teams:add-member', '--email', world.people.viewer.email, '--role', 'viewer', '--team'],
      [`/teams/${world.teamId}/projects`]: [
        'projects:create',
        '--name',
        'New',
        '--team',
        String(world.teamId),
      ],
      [`${world.project}/environments`]: [
        'environments:create',
        '--name',
        'New',
        '--project',
        String(world.projectId),
      ],
    };
    lists['/teams']?.push(String(await api.team('New')));
    for (const [path, command] of Object.entries(lists)) {
      const before = await client.get(path);
      const known = { 'if-none-match': String(before.headers.etag) };
      expect([path, (await client.get(path, known)).status]).toEqual([path, 304]);
      await admin.json(command);
      const after = await client.get(path, known);
      expect([path, after.status, after.body?.length]).toEqual([path, 200, Number(before.body.length) + 1]);
    }
  });

  it('writes concurrently with the server, without failures or lost writes', async () => {
    const { client } = world.people.admin;
    let atWork = PROCESSES;
    const createProjects = async (process: number): Promise<number[]> => {
      const ids: number[] = [];
      for (let number = 1; number <= PROJECTS_EACH; number += 1) {
        const name = `Project ${process}.${number}`;
        ids.push((await admin.json(['projects:create', '--team', String(world.teamId), '--name', name])).id);
      }
      atWork -= 1;
      return ids;
    };
    const createPages = async (): Promise<number[]> => {
      const ids: number[] = [];
      while (atWork > 0 || ids.length < PAGES) {
        const page = await client.post(`${world.project}/pages`, { name: `Page ${ids.length}` });
        expect([page.status, page.text]).toEqual([201, expect.any(String)]);
        ids.push(page.body.id);
        await sleep(10);
      }
      return ids;
    };
    const processes = Array.from({ length: PROCESSES }, (_, process) => createProjects(process));
    const [pages, ...projects] = await Promise.all([createPages(), ...processes]);
    const listedPages: { id: number }[] = (await client.get(`${world.project}/pages`)).body;
    expect(listedPages.map(({ id }) => id)).toEqual(pages);
    const listed: { id: number }[] = (await client.get(`/teams/${world.teamId}/projects`)).body;
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(projects.flat()));
    expect(new Set(projects.flat()).size).toBe(PROCESSES * PROJECTS_EACH);
  }, 180_000);
});
