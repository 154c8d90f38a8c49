import { TestApi } from '../support/api';
import { behindAnotherWrite } from '../support/lock';
import { errorsOf, useScene } from '../support/scene';

const scene = useScene();
let path: string;
beforeAll(() => {
  path = `/teams/${scene.world.teamId}/members`;
});

describe('changing a member', () => {
  it('sets the role, which applies immediately', async () => {
    const person = await scene.api.person();
    const { headers, body } = await scene.client.post(path, { email: person.email, role: 'viewer' });
    const member = `${path}/${person.id}`;
    expect((await person.client.post(`${scene.project}/goals`, { name: 'Goal' })).status).toBe(403);
    const changed = await scene.client.patch(member, { role: 'editor' }, { 'if-match': headers.etag! });
    const { invitation_url: _, ...added } = body;
    expect([changed.status, changed.body]).toEqual([200, { ...added, role: 'editor' }]);
    expect((await person.client.post(`${scene.project}/goals`, { name: 'Goal' })).status).toBe(201);
    expect((await scene.client.patch(member, { role: 'viewer' }, { 'if-match': headers.etag! })).status).toBe(
      412,
    );
    expect((await scene.client.delete(member, { 'if-match': headers.etag! })).status).toBe(412);
  });

  it('succeeds only once if two concurrent changes have the same ETag', async () => {
    const person = await scene.api.person();
    const { headers } = await scene.client.post(path, { email: person.email, role: 'viewer' });
    const change = (role: string) =>
      scene.client.patch(`${path}/${person.id}`, { role }, { 'if-match': headers.etag! });
    const answers = await behindAnotherWrite(
      scene.api,
      scene.world.projectId,
      (tx) =>
        tx.query('UPDATE teams SET members_version = members_version WHERE id = ?', [scene.world.teamId]),
      () => Promise.all([change('editor'), change('publisher')]),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('accepts the body of a GET without changing anything', async () => {
    const member = `${path}/${scene.world.people.viewer.id}`;
    const before = await scene.client.get(member);
    const list = (await scene.client.get(path)).headers.etag;
    const after = await scene.client.patch(member, before.body);
    expect([after.status, after.body, after.headers.etag]).toEqual([200, before.body, before.headers.etag]);
    expect((await scene.client.get(path)).headers.etag).toBe(list);
  });

  it('rejects other fields and other roles', async () => {
    const member = `${path}/${scene.world.people.viewer.id}`;
    const refused = await scene.client.patch(member, { role: null, email: 'new@example.com', nmae: 'x' });
    expect(Object.keys(errorsOf(refused)).sort()).toEqual(['email', 'nmae', 'role']);
  });

  it('revokes the access of a removed member immediately, with every token and in every process', async () => {
    const person = await scene.api.person();
    const sibling: TestApi = await scene.api.sibling();
    const elsewhere = sibling.as(person.token);
    await scene.client.post(path, { email: person.email, role: 'admin' });
    const teams = (await person.client.get('/teams')).headers.etag!;
    expect((await elsewhere.get(scene.project)).status).toBe(200);
    expect((await scene.client.delete(`${path}/${person.id}`)).status).toBe(204);
    const after = [
      (await elsewhere.get(scene.project)).status,
      (await elsewhere.get(path)).status,
      (await person.client.get(scene.project)).status,
      (await person.client.get('/teams', { 'if-none-match': teams })).status,
    ];
    await sibling.close();
    expect(after).toEqual([404, 404, 404, 200]);
  });

  it('results in a new ETag for a member who joins again', async () => {
    const person = await scene.api.person();
    const body = { email: person.email, role: 'viewer' };
    const first = await scene.client.post(path, body);
    await scene.client.delete(`${path}/${person.id}`);
    const second = await scene.client.post(path, body);
    expect(second.headers.etag).not.toBe(first.headers.etag);
  });
});
