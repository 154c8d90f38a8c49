import { TeamsService } from '../../src/teams/teams.service';
import { InvitationStore } from '../../src/users/invitation.store';
import { UsersService } from '../../src/users/users.service';
import { TestApi } from '../support/api';
import { errorsOf, useScene } from '../support/scene';
import { Visitor } from '../support/visitor';

/* The last admin of a team, and invitations for members without a password. */

const scene = useScene();
let path: string;
beforeAll(() => {
  path = `/teams/${scene.world.teamId}/members`;
});

let addresses = 0;
const newAddress = (): string => `invited-${(addresses += 1)}@example.com`;

/** Creates a team with only the admin of the scene, or with a second admin. @returns the path of its members */
async function ownTeam(second = false): Promise<string> {
  const { api, world } = scene;
  const teamId = await api.team('Own');
  await api.join(teamId, world.people.admin, 'admin');
  if (second) {
    await api.join(teamId, world.people.editor, 'admin');
  }
  return `/teams/${teamId}/members`;
}

describe('the last admin', () => {
  const reason =
    'This is the last admin of the team. Make another member an admin first, so that someone can manage the team. Invited admins do not count until they have set a password.';

  it('can be neither removed nor demoted', async () => {
    const own = await ownTeam();
    const self = `${own}/${scene.world.people.admin.id}`;
    expect(errorsOf(await scene.client.delete(self))).toEqual({ user: [reason] });
    expect(errorsOf(await scene.client.patch(self, { role: 'publisher' }))).toEqual({ role: [reason] });
    expect((await scene.client.patch(self, { role: 'admin' })).status).toBe(200);
    expect((await scene.client.delete(`${self}?dry_run=1`)).status).toBe(422);
  });

  it('counts as the last admin even if other admins exist but are disabled', async () => {
    const [own, { people }] = [await ownTeam(true), scene.world];
    const { database } = scene.api;
    await database.transaction((tx) =>
      tx.query('UPDATE users SET disabled_at = 1 WHERE id = ?', [people.editor.id]),
    );
    const refused = await scene.client.delete(`${own}/${people.admin.id}`);
    await database.transaction((tx) =>
      tx.query('UPDATE users SET disabled_at = NULL WHERE id = ?', [people.editor.id]),
    );
    expect(errorsOf(refused)).toEqual({ user: [reason] });
    expect((await scene.client.delete(`${own}/${people.admin.id}`)).status).toBe(204);
  });

  it('counts as the last admin while the other admins have not accepted their invitations', async () => {
    const { id } = scene.world.people.admin;
    const own = await ownTeam();
    const { body } = await scene.client.post(own, { email: newAddress(), role: 'admin' });
    const self = `${own}/${id}`;
    expect(errorsOf(await scene.client.delete(self))).toEqual({ user: [reason] });
    expect(errorsOf(await scene.client.patch(self, { role: 'publisher' }))).toEqual({ role: [reason] });
    const teams = scene.api.app.get(TeamsService, { strict: false });
    const byCommand = teams.removeMember(Number(own.split('/')[2]), id, 'admin');
    await expect(byCommand).rejects.toMatchObject({ extra: { errors: { user: [reason] } } });
    expect(await open(body.invitation_url)).toBe(200);
    const users = scene.api.app.get(UsersService, { strict: false });
    await users.setPassword(body.user_id as number, 'a password of their own', 'admin');
    expect((await scene.client.delete(self)).status).toBe(204);
  });

  it('remains if two admins remove each other at the same time, in two processes', async () => {
    const { people } = scene.world;
    const sibling: TestApi = await scene.api.sibling();
    const other = sibling.as(people.editor.token);
    for (let round = 0; round < 5; round += 1) {
      const own = await ownTeam(true);
      const answers = await Promise.all([
        scene.client.delete(`${own}/${people.editor.id}`),
        other.delete(`${own}/${people.admin.id}`),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      expect([
        [204, 404],
        [204, 422],
      ]).toContainEqual(statuses);
      const left = [await scene.client.get(own), await other.get(own)].find(({ status }) => status === 200);
      expect((left?.body as { role: string }[]).map(({ role }) => role)).toEqual(['admin']);
    }
    await sibling.close();
  });
});

/** The status of the page behind an invitation link. */
const open = async (url: unknown): Promise<number> =>
  (await new Visitor(scene.api).get(new URL(String(url)).pathname)).status;

describe('a new invitation', () => {
  it('replaces the previous link of the member, and is shown once', async () => {
    const { body } = await scene.client.post(path, { email: newAddress(), role: 'viewer' });
    const again = `${path}/${body.user_id}/invitation`;
    const rehearsed = await scene.client.post(`${again}?dry_run=1`);
    expect([rehearsed.status, rehearsed.body]).toEqual([200, { ...body, invitation_url: null }]);
    const key = { 'idempotency-key': 'second link' };
    const second = await scene.client.post(again, {}, key);
    expect(second.body).toEqual({ ...body, invitation_url: expect.stringContaining('/invitation/') });
    expect(second.body.invitation_url).not.toBe(body.invitation_url);
    expect((await scene.client.post(again, {}, key)).body).toEqual({ ...body, invitation_url: null });
    const actions: { action: string }[] = await scene.api.database.read.query(
      "SELECT action FROM audit_entries WHERE item_type = 'user' AND item_id = ? ORDER BY id",
      [body.user_id],
    );
    expect(actions.map(({ action }) => action)).toEqual(['create', 'invite-again']);
  });

  const UNINVITED = {
    user: [
      'This user has a password, was not invited, or is in a team that you do not manage. A server administrator can set a password.',
    ],
  };

  it('is rejected for users who were not invited', async () => {
    const { people } = scene.world;
    const refused = await scene.client.post(`${path}/${people.viewer.id}/invitation`);
    expect(errorsOf(refused)).toEqual(UNINVITED);
  });

  it('is rejected if the previous link is used at the same time', async () => {
    const { body } = await scene.client.post(path, { email: newAddress(), role: 'viewer' });
    const store = scene.api.app.get(InvitationStore, { strict: false });
    const replace = store.replace.bind(store);
    jest.spyOn(store, 'replace').mockImplementationOnce(async (tx, userId, ...link) => {
      await store.delete(tx, userId);
      return replace(tx, userId, ...link);
    });
    const refused = await scene.client.post(`${path}/${body.user_id}/invitation`);
    expect(errorsOf(refused)).toEqual(UNINVITED);
  });

  it('no longer works after an admin of both teams has added the user to another team', async () => {
    const { body } = await scene.client.post(path, { email: newAddress(), role: 'viewer' });
    const own = await ownTeam();
    const second = await scene.client.post(own, { email: body.email, role: 'admin' });
    expect([second.status, second.body.invitation_url]).toEqual([201, null]);
    expect(await open(body.invitation_url)).toBe(404);
    const again = await scene.client.post(`${own}/${body.user_id}/invitation`);
    expect(await open(again.body.invitation_url)).toBe(200);
  });

  it('is the only link, and works until an admin of another team adds the user', async () => {
    const { body } = await scene.client.post(path, { email: newAddress(), role: 'viewer' });
    const { client } = scene.other;
    const [{ id }] = (await client.get('/teams')).body as { id: number }[];
    const other = `/teams/${id}/members`;
    expect((await client.post(`${other}?dry_run=1`, { email: body.email, role: 'viewer' })).status).toBe(201);
    expect(await open(body.invitation_url)).toBe(200);
    const added = await client.post(other, { email: body.email, role: 'viewer' });
    expect([added.status, added.body.invitation_url]).toEqual([201, null]);
    expect(await open(body.invitation_url)).toBe(404);
  });

  it('no longer works after the admin command has added the user to another team', async () => {
    const { body } = await scene.client.post(path, { email: newAddress(), role: 'viewer' });
    const teams = scene.api.app.get(TeamsService, { strict: false });
    await teams.addMember(await scene.api.team('By command'), body.user_id as number, 'viewer', 'admin');
    expect(await open(body.invitation_url)).toBe(404);
  });

  describe.each<[string, (member: string) => Promise<{ status: number }>]>([
    ['removed', (member) => scene.client.delete(member)],
    ['given another role', (member) => scene.client.patch(member, { role: 'publisher' })],
  ])('created by an admin who is then %s', (_, change) => {
    it('no longer works, but links of other teams do', async () => {
      const own = await ownTeam(true);
      const { editor } = scene.world.people;
      const created = await editor.client.post(own, { email: newAddress(), role: 'viewer' });
      const elsewhere = await scene.client.post(path, { email: newAddress(), role: 'viewer' });
      expect((await change(`${own}/${editor.id}`)).status).toBeLessThan(300);
      expect(await open(created.body.invitation_url)).toBe(404);
      expect(await open(elsewhere.body.invitation_url)).toBe(200);
      const again = await scene.client.post(`${own}/${created.body.user_id}/invitation`);
      expect(await open(again.body.invitation_url)).toBe(200);
    });
  });

  it('no longer works after an admin of one of the teams has been disabled', async () => {
    const { api, client } = scene;
    const own = await ownTeam();
    const admin = await api.person();
    await api.join(Number(own.split('/')[2]), admin, 'admin');
    await api.join(scene.world.teamId, admin, 'publisher');
    const [known, unknown] = [
      await admin.client.post(own, { email: newAddress(), role: 'admin' }),
      await client.post(path, { email: newAddress(), role: 'viewer' }),
    ];
    await api.app.get(UsersService, { strict: false }).disable(admin.id, 'admin');
    expect(await open(known.body.invitation_url)).toBe(404);
    expect(await open(unknown.body.invitation_url)).toBe(200);
    const again = await client.post(`${own}/${known.body.user_id}/invitation`);
    expect(await open(again.body.invitation_url)).toBe(200);
  });

  it('still works after a member who is not an admin has left or has been promoted', async () => {
    const own = await ownTeam();
    const { editor, viewer } = scene.world.people;
    await scene.api.join(Number(own.split('/')[2]), editor, 'editor');
    await scene.api.join(Number(own.split('/')[2]), viewer, 'viewer');
    const { body } = await scene.client.post(own, { email: newAddress(), role: 'viewer' });
    expect((await scene.client.patch(`${own}/${editor.id}`, { role: 'admin' })).status).toBe(200);
    expect((await scene.client.delete(`${own}/${viewer.id}`)).status).toBe(204);
    expect(await open(body.invitation_url)).toBe(200);
  });

  it('is rejected for members of a team that the admin does not manage', async () => {
    const { client } = scene.other;
    const { body } = await scene.client.post(path, { email: newAddress(), role: 'viewer' });
    const [{ id }] = (await client.get('/teams')).body as { id: number }[];
    expect((await client.post(`/teams/${id}/members`, { email: body.email, role: 'viewer' })).status).toBe(
      201,
    );
    const again = () => scene.client.post(`${path}/${body.user_id}/invitation`);
    const foreign = await again();
    expect(errorsOf(foreign)).toEqual(UNINVITED);
    const users = scene.api.app.get(UsersService, { strict: false });
    await users.setPassword(body.user_id as number, 'a password of their own', 'admin');
    const withPassword = await again();
    expect([withPassword.status, withPassword.body]).toEqual([foreign.status, foreign.body]);
  });
});
