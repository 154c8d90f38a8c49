import { expiryIn, TokenLimits, TokensService } from '../../src/users/tokens/tokens.service';
import { Assistant } from '../support/assistant';
import type { Client } from '../support/client';
import { fakeDate } from '../support/fake-date';
import { startLive } from '../support/live-server';
import { useScene } from '../support/scene';
import { rowsFor, send, stepFor, tokenRoutes } from '../support/walk';

/* Tokens that are limited to projects, and tokens that expire. */

const scene = useScene();

let elsewhere: number;
beforeAll(async () => {
  elsewhere = await scene.api.project(scene.world.teamId, 'Elsewhere in the team');
});

const adminId = (): number => scene.world.people.admin.id;

/** A client of the team admin with a limited token. */
async function limited(limits: TokenLimits): Promise<Client> {
  return scene.api.as(await scene.api.token(adminId(), 'write', limits));
}

const namesOf = async (client: Client, path: string): Promise<string[]> =>
  ((await client.get(path)).body as { name: string }[]).map(({ name }) => name);

describe('a token that is limited to projects', () => {
  const inProjects = rowsFor((_, route) => route.includes(' /api/projects/'));
  const inTeams = rowsFor((_, route) => route.includes(' /api/teams'));

  it.each(inProjects)('gives access to its projects only: %s', async (_, row) => {
    const step = await stepFor(scene, row);
    const refused = await send(await limited({ projectIds: [elsewhere] }), step);
    expect([refused.status, refused.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
    const allowed = await send(await limited({ projectIds: [elsewhere, step.projectId] }), step);
    // Some reads fail even with access, because results do not exist yet or the id is unknown.
    const expected = step.method === 'GET' ? (await send(scene.client, step)).status : step.status;
    expect(allowed.status).toBe(expected);
  });

  it.each(inTeams)('can read only the lists of teams and of projects: %s', async (_, row) => {
    const step = await stepFor(scene, row);
    const isList = ['GET /api/teams', 'GET /api/teams/:team/projects'].includes(row.route);
    const { status } = await send(await limited({ projectIds: [elsewhere] }), step);
    expect(status).toBe(isList ? 200 : 404);
  });

  it('is tested on every API route', () => {
    const tried = new Set([...inProjects, ...inTeams].map(([, { route }]) => route));
    expect([...tried].sort()).toEqual(
      tokenRoutes(scene)
        .map(({ route }) => route)
        .sort(),
    );
  });

  it('lists only its teams and projects, even after another user has listed all of them', async () => {
    const { api, client, world } = scene;
    const another = await api.team('Another team');
    await api.join(another, world.people.admin, 'admin');
    const projects = `/teams/${world.teamId}/projects`;
    expect(await namesOf(client, '/teams')).toEqual(['Team', 'Another team']);
    expect((await namesOf(client, projects)).length).toBeGreaterThan(1);
    const own = await limited({ projectIds: [elsewhere] });
    expect(await namesOf(own, '/teams')).toEqual(['Team']);
    expect(await namesOf(own, projects)).toEqual(['Elsewhere in the team']);
    expect((await own.get(`/teams/${another}/projects`)).status).toBe(404);
    expect((await client.get(projects)).headers.etag).not.toBe((await own.get(projects)).headers.etag);
    const { etag } = (await own.get('/teams')).headers;
    expect((await own.get('/teams', { 'if-none-match': etag! })).status).toBe(304);
  });

  it('does not get the list that was cached for another limited token', async () => {
    const projects = `/teams/${scene.world.teamId}/projects`;
    const here = await limited({ projectIds: [scene.world.projectId] });
    const there = await limited({ projectIds: [elsewhere] });
    expect(await namesOf(here, projects)).toEqual(['Shop']);
    expect(await namesOf(there, projects)).toEqual(['Elsewhere in the team']);
  });

  it('loses access to the team when its last project is deleted', async () => {
    const { api, client, world } = scene;
    const teamId = await api.team('Short-lived');
    await api.join(teamId, world.people.admin, 'admin');
    const projectId = await api.project(teamId, 'Short-lived');
    const own = await limited({ projectIds: [projectId] });
    const { etag } = (await own.get('/teams')).headers;
    await client.delete(`/projects/${projectId}`);
    const teams = await own.get('/teams', { 'if-none-match': etag! });
    expect([teams.status, teams.body]).toEqual([200, []]);
    expect((await own.get(`/teams/${teamId}/projects`)).status).toBe(404);
  });

  it('has no more permissions than its user', async () => {
    const { api, world } = scene;
    const person = await api.person();
    const token = await api.token(person.id, 'write', { projectIds: [world.projectId] });
    expect((await api.as(token).get(scene.project)).status).toBe(404);
    expect((await api.as(token).get('/teams')).body).toEqual([]);
  });

  it('cannot be limited to an empty list of projects', async () => {
    await expect(scene.api.token(adminId(), 'read', { projectIds: [] })).rejects.toThrow(
      'needs at least one project',
    );
  });

  it('is subject to the same limits over MCP', async () => {
    const api = await startLive();
    const person = await api.person();
    const teamId = await api.team();
    await api.join(teamId, person, 'admin');
    const [own, other] = [await api.project(teamId, 'Own'), await api.project(teamId, 'Other')];
    const token = await api.token(person.id, 'write', { projectIds: [own] });
    const assistant = await Assistant.overHttp(api.config.publicUrl, token);
    const found = await assistant.use('list_experiments', { project_id: own });
    const refused = await assistant.use('list_experiments', { project_id: other });
    await assistant.close();
    await api.close();
    expect([found.isError, refused.isError, refused.text]).toEqual([
      false,
      true,
      expect.stringContaining('Not Found'),
    ]);
  });
});

describe('a token that expires', () => {
  afterEach(() => jest.useRealTimers());

  it('is valid until its last second, even if it is cached', async () => {
    const now = Date.now();
    const expiresAt = expiryIn(30);
    const client = await limited({ expiresAt });
    const end = Math.floor(expiresAt / 1000);
    const statusAt = async (time: number): Promise<number> => {
      fakeDate(time);
      const { status } = await client.get('/teams');
      jest.useRealTimers();
      return status;
    };
    expect(await statusAt(now)).toBe(200);
    expect([await statusAt(end - 1000), await statusAt(end + 1)]).toEqual([200, 401]);
    const { headers, body } = await (async () => {
      fakeDate(end + 1000);
      return client.get(scene.project);
    })();
    expect([headers['www-authenticate'], body]).toEqual([
      'Bearer',
      { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' },
    ]);
  });

  it('is listed with its expiry and projects', async () => {
    const person = await scene.api.person();
    await scene.api.join(scene.world.teamId, person, 'viewer');
    const expiresAt = expiryIn(90);
    await scene.api.token(person.id, 'read', {
      expiresAt,
      projectIds: [scene.world.projectId, 2_000_000_000],
    });
    const [first, second] = await scene.api.app.get(TokensService, { strict: false }).list(person.id);
    expect([first.expires_at, first.projects]).toEqual([null, null]);
    expect(Date.parse(second.expires_at!)).toBe(Math.floor(expiresAt / 1000));
    expect(second.projects).toEqual([
      { id: scene.world.projectId, name: 'Shop' },
      { id: 2_000_000_000, name: null },
    ]);
  });
});
