import { TeamsService } from '../../src/teams/teams.service';
import { isReplayed, newKey, told } from '../support/keys';
import { anotherProject, errorsOf, Maker, useScene } from '../support/scene';

/* `Idempotency-Key`: which refusals are stored and replayed, and which users get no replay. */

const scene = useScene();
const teams = (): TeamsService => scene.api.app.get(TeamsService, { strict: false });

let make: Maker;
let goals: string;
beforeEach(async () => {
  make = await anotherProject(scene);
  goals = `${make.project}/goals`;
});

describe('a refusal', () => {
  it('with 422 is stored, even if its cause disappears later', async () => {
    const taken = await make.goal({ api_name: 'sale' });
    const key = newKey();
    const body = { name: 'Sale', api_name: 'sale' };
    const first = await scene.client.post(goals, body, key);
    expect(Object.keys(errorsOf(first))).toEqual(['api_name']);
    await scene.client.delete(taken.path);
    const again = await scene.client.post(goals, body, key);
    expect([told(again), isReplayed(again)]).toEqual([told(first), true]);
    expect((await scene.client.post(goals, body, newKey())).status).toBe(201);
  });

  it('with 422 is stored for a body that is nested a hundred thousand levels deep', async () => {
    const deep = (levels: number): string => `{"name": ${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const key = newKey();
    const first = await scene.client.post(goals, deep(100_000), key);
    expect(errorsOf(first)).toEqual({ name: ['The value is nested deeper than 32 levels.'] });
    const again = await scene.client.post(goals, deep(100_000), key);
    expect([told(again), isReplayed(again)]).toEqual([told(first), true]);
    const other = await scene.client.post(goals, deep(32), key);
    expect(Object.keys(errorsOf(other))).toEqual(['Idempotency-Key']);
  });

  it.each([
    [45, true],
    [55, false],
  ])('with 422 for %i unknown fields of 200 characters is stored: %s', async (fields, isStored) => {
    const names = Array.from({ length: fields }, (_, index) => `${'f'.repeat(200)}${index}`);
    const body = { name: 'Goal', ...Object.fromEntries(names.map((name) => [name, 1])) };
    const key = newKey();
    const first = await scene.client.post(goals, body, key);
    const again = await scene.client.post(goals, body, key);
    expect([first.status, told(again), isReplayed(again)]).toEqual([422, told(first), isStored]);
  });

  it('with 404 is stored if no record has the requested name', async () => {
    const key = newKey();
    const first = await scene.client.post(`${goals}/find-by-name`, { name: 'Late' }, key);
    await make.goal({ name: 'Late' });
    const again = await scene.client.post(`${goals}/find-by-name`, { name: 'Late' }, key);
    expect([first.status, told(again), isReplayed(again)]).toEqual([404, told(first), true]);
  });

  it('with 404 is stored for an inaccessible path, even if the path becomes accessible later', async () => {
    const { outsider, teamId } = scene.world;
    const key = newKey();
    const first = await outsider.client.post(goals, { name: 'Goal' }, key);
    const again = await outsider.client.post(goals, { name: 'Goal' }, key);
    expect([first.status, isReplayed(first)]).toEqual([404, false]);
    expect([told(again), isReplayed(again)]).toEqual([told(first), true]);
    await scene.api.join(teamId, outsider, 'editor');
    const later = await outsider.client.post(goals, { name: 'Goal' }, key);
    const fresh = await outsider.client.post(goals, { name: 'Goal' }, newKey());
    await teams().removeMember(teamId, outsider.id, 'admin');
    expect([told(later), isReplayed(later), fresh.status]).toEqual([told(first), true, 201]);
  });

  it.each([
    ['400', '{"name": ', 'application/json'],
    ['415', 'name=Goal', 'text/plain'],
    ['413', `"${'x'.repeat(1024 * 1024)}"`, 'application/json'],
  ])('with %s is not stored', async (status, body, type) => {
    const key = newKey();
    const refused = await scene.client.post(goals, body, { ...key, 'content-type': type });
    const next = await scene.client.post(goals, { name: 'Goal' }, key);
    expect([String(refused.status), next.status, isReplayed(next)]).toEqual([status, 201, false]);
  });

  it('with 412 is not stored', async () => {
    const { path } = await make.ready();
    const key = newKey();
    const refused = await scene.client.post(`${path}/clone`, undefined, { ...key, 'if-match': '"a"' });
    const next = await scene.client.post(`${path}/clone`, undefined, key);
    expect([refused.status, next.status, isReplayed(next)]).toEqual([412, 201, false]);
  });

  it('with 403 or 429 is not stored', async () => {
    const key = newKey();
    const { viewer } = scene.world.people;
    const person = await scene.api.person(1);
    await scene.api.join(scene.world.teamId, person, 'editor');
    await person.client.get('/teams');
    for (const [{ client, id }, status] of [
      [viewer, 403],
      [person, 429],
    ] as const) {
      expect((await client.post(goals, { name: 'Goal' }, key)).status).toBe(status);
      const keys: unknown[] = await scene.api.database.read.query(
        'SELECT id FROM idempotency_keys WHERE user_id = ?',
        [id],
      );
      expect(keys).toEqual([]);
    }
  });
});

it('an invalid key or dry_run is rejected only after every check that precedes validation', async () => {
  const { path } = await make.ready();
  const { people, outsider } = scene.world;
  const { viewer, admin } = people;
  const wrong = { 'idempotency-key': '' };
  const tag = { ...wrong, 'if-match': '"a"' };
  const statuses = [];
  for (const [client, headers, body] of [
    [scene.api.as(null), tag, '{'],
    [outsider.client, tag, '{'],
    [viewer.client, tag, '{'],
    [admin.client, tag, '{'],
    [admin.client, wrong, '{'],
    [admin.client, wrong, {}],
  ] as const) {
    statuses.push((await client.post(`${path}/clone?dry_run=x`, body, headers)).status);
  }
  expect(statuses).toEqual([401, 404, 403, 412, 400, 422]);
});

describe('a stored response is replayed only with access:', () => {
  const changes: [what: string, status: number, change: (teamId: number, userId: number) => unknown][] = [
    ['has left the team', 404, (teamId, userId) => teams().removeMember(teamId, userId, 'admin')],
    ['can no longer write', 403, (teamId, userId) => teams().setRole(teamId, userId, 'viewer', 'admin')],
  ];

  it.each(changes)('not to a user who %s', async (_, status, change) => {
    const { teamId } = scene.world;
    const person = await scene.api.person();
    await scene.api.join(teamId, person, 'editor');
    const key = newKey();
    const first = await person.client.post(goals, { name: 'Secret' }, key);
    await change(teamId, person.id);
    const refused = await person.client.post(goals, { name: 'Secret' }, key);
    expect([refused.status, isReplayed(refused)]).toEqual([status, false]);
    expect(refused.text).not.toContain('Secret');
    await teams().removeMember(teamId, person.id, 'admin');
    await scene.api.join(teamId, person, 'editor');
    expect(told(await person.client.post(goals, { name: 'Secret' }, key))).toEqual(told(first));
  });

  it('not with a read-only token', async () => {
    const key = newKey();
    const { editor } = scene.world.people;
    await editor.client.post(goals, { name: 'Secret' }, key);
    const reader = scene.api.as(await scene.api.token(editor.id, 'read'));
    expect((await reader.post(goals, { name: 'Secret' }, key)).status).toBe(403);
  });

  it('not if the project has been deleted', async () => {
    const key = newKey();
    await scene.client.post(goals, { name: 'Secret' }, key);
    await scene.client.delete(make.project);
    const refused = await scene.client.post(goals, { name: 'Secret' }, key);
    expect([refused.status, refused.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
  });
});
