import { TeamsService } from '../../src/teams/teams.service';
import { UsersService } from '../../src/users/users.service';
import { documentOf, textsOf, useConsole } from '../support/console';
import { ageSessions, hiddenFields, PASSWORD, signedIn, Visitor } from '../support/visitor';

/* Team members in the console. */

const stage = useConsole();

let admin: Visitor;
let members: string;
beforeAll(async () => {
  admin = await stage.admin();
  members = `/teams/${stage.world.teamId}/members`;
});

let count = 0;
const newEmail = (): string => `colleague-${(count += 1)}@example.com`;

const linkIn = (text: string): string => /value="(http[^"]*\/invitation\/[\w-]{43})"/.exec(text)?.[1] ?? '';

const add = (fields: object) => admin.submit(`${members}/add`, { role: 'viewer', name: '', ...fields });

/** Creates a member with an invitation. */
async function invited(): Promise<{ id: number; email: string; link: string }> {
  const email = newEmail();
  const { text } = await add({ email });
  const { body } = await stage.client.get(members);
  const member = (body as { user_id: number; email: string }[]).find((each) => each.email === email)!;
  return { id: member.user_id, email, link: linkIn(text) };
}

/** The rows of the member list, with the cell texts. */
async function rows(): Promise<string[]> {
  const page = await documentOf(admin, members);
  return [...page.querySelectorAll('tbody tr')].map((row) => row.textContent.replace(/\s+/g, ' ').trim());
}

describe('the members page', () => {
  it('shows all members with their roles, and is linked from the start page', async () => {
    const home = await documentOf(admin, '/');
    expect(home.querySelector(`a[href="${members}"]`)?.textContent).toBe('Members');
    const { viewer } = stage.world.people;
    expect(await rows()).toContainEqual(expect.stringMatching(new RegExp(`${viewer.email} ?viewer`)));
  });

  it.each(['viewer', 'editor', 'publisher'] as const)('is not available to a %s', async (role) => {
    const visitor = await stage.visitorOf(stage.world.people[role]);
    expect((await visitor.get('/')).text).not.toContain(members);
    for (const path of [members, `${members}/add`, `${members}/${stage.world.people.admin.id}/remove`]) {
      const { status, text } = await visitor.get(path);
      expect([status, text.includes(stage.world.people.admin.email)]).toEqual([403, false]);
    }
  });

  it('is 404 for members of other teams', async () => {
    const visitor = await stage.visitorOf(stage.world.outsider);
    for (const path of [
      members,
      `${members}/add`,
      `${members}/1/role`,
      '/teams/0/members',
      '/teams/x/members',
    ]) {
      expect((await visitor.get(path)).status).toBe(404);
    }
    expect((await admin.get(`${members}/${stage.world.outsider.id}/role`)).status).toBe(404);
    expect((await admin.get(`${members}/99999999999/role`)).status).toBe(404);
  });
});

it('does not reveal whether a user of another team has a password', async () => {
  const { outsider } = stage.world;
  const { email, id } = await invited();
  const row = async () => (await rows()).find((each) => each.includes(email));
  expect(await row()).toMatch(/invited, no password yet.*New link/);
  const [{ id: team }] = (await outsider.client.get('/teams')).body as { id: number }[];
  const added = await outsider.client.post(`/teams/${team}/members`, { email, role: 'viewer' });
  expect(added.status).toBe(201);
  const before = await row();
  expect(before).not.toMatch(/invited|New link/);
  await stage.api.app.get(UsersService, { strict: false }).setPassword(id, PASSWORD, 'admin');
  expect(await row()).toBe(before);
});

describe('adding a member', () => {
  it('shows the invitation link once, and the new user can sign in with it', async () => {
    const email = newEmail();
    const added = await add({ email, name: 'Grace <b>' });
    expect([added.status, added.headers['cache-control']]).toEqual([201, 'no-store']);
    expect(added.text).toContain('Copy the invitation link now');
    const list = await admin.get(members);
    expect(list.text).not.toContain('/invitation/');
    expect(list.text).toContain('(invited, no password yet)');
    const guest = new Visitor(stage.api, { 'x-forwarded-for': '10.9.9.9' });
    const page = new URL(linkIn(added.text)).pathname;
    expect((await guest.submit(page, { password: PASSWORD, repeated: PASSWORD })).status).toBe(303);
    expect((await guest.get('/')).text).toContain(email);
    expect((await rows()).find((row) => row.includes(email))).not.toContain('invited');
  });

  it('shows no link if the user already exists', async () => {
    const { person } = await signedIn(stage.api);
    const { status, location } = await add({ email: person.email, role: 'editor' });
    expect([status, location]).toEqual([303, `${members}?notice=memberAdded`]);
    expect((await admin.get(location!)).text).toContain('The member was added.');
  });

  it('takes effect once if the form is submitted twice', async () => {
    const email = newEmail();
    const { text } = await admin.get(`${members}/add`);
    const fields = { ...hiddenFields(text), email, name: '', role: 'viewer' };
    const first = await admin.post(`${members}/add`, fields);
    const second = await admin.post(`${members}/add`, fields);
    expect([first.status, second.status]).toEqual([201, 303]);
    expect((await rows()).filter((row) => row.includes(email))).toHaveLength(1);
  });

  it('shows errors, and keeps the input', async () => {
    const refused = await add({ email: 'Grace', name: 'Grace', role: 'owner' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('“E-mail address” must be an e-mail address such as ada@example.com.');
    expect(refused.text).toContain('“Role” must be one of: viewer, editor, publisher, admin.');
    expect(refused.text).toContain('value="Grace"');
    const { email } = stage.world.people.viewer;
    expect((await add({ email })).text).toContain(`${email} is already a member of the team.`);
  });
});

describe('changing a member', () => {
  it('sets the role', async () => {
    const { id, email } = await invited();
    const page = `${members}/${id}/role`;
    const { status, location } = await admin.submit(page, { role: 'publisher' });
    expect([status, location]).toEqual([303, `${members}?notice=saved`]);
    expect((await rows()).find((row) => row.includes(email))).toContain('publisher');
  });

  it('is rejected if the role has changed in the meantime', async () => {
    const { id } = await invited();
    const page = `${members}/${id}/role`;
    const { text } = await admin.get(page);
    await stage.client.patch(page.replace(/\/role$/, ''), { role: 'editor' });
    const stale = await admin.post(page, { ...hiddenFields(text), role: 'publisher' });
    expect([stale.status, stale.text]).toEqual([412, expect.stringContaining('Someone else changed this')]);
  });

  it('removes the member after a confirmation', async () => {
    const { id, email } = await invited();
    const page = `${members}/${id}/remove`;
    expect((await admin.get(page)).text).toContain('The user is not deleted.');
    expect((await rows()).some((row) => row.includes(email))).toBe(true);
    const { location } = await admin.submit(page, {});
    expect(location).toBe(`${members}?notice=memberRemoved`);
    expect((await rows()).some((row) => row.includes(email))).toBe(false);
  });

  it('creates a new invitation link, and the previous one stops working', async () => {
    const { id, link } = await invited();
    const { status, text } = await admin.submit(`${members}/${id}/invitation`, {});
    expect(status).toBe(201);
    const guest = new Visitor(stage.api, { 'x-forwarded-for': '10.9.9.8' });
    expect((await guest.get(new URL(link).pathname)).status).toBe(404);
    expect((await guest.get(new URL(linkIn(text)).pathname)).status).toBe(200);
  });

  it.each([
    ['role', { role: 'viewer' }, 'Saved.'],
    ['remove', {}, 'The member was removed.'],
  ])(
    'confirms on the start page that an admin has lost access to the team through the form %s',
    async (form, fields, notice) => {
      const second = await stage.api.person();
      const teams = stage.api.app.get(TeamsService, { strict: false });
      await teams.addMember(stage.world.teamId, second.id, 'admin', 'admin');
      const visitor = await stage.visitorOf(second);
      const { location } = await visitor.submit(`${members}/${second.id}/${form}`, fields);
      expect(textsOf(await documentOf(visitor, String(location)), '[role="status"].message')).toEqual([
        notice,
      ]);
    },
  );

  it('does not remove the last admin, and gives the reason', async () => {
    const page = `${members}/${stage.world.people.admin.id}/remove`;
    const { status, text } = await admin.submit(page, {});
    expect([status, text]).toEqual([422, expect.stringContaining('This is the last admin of the team.')]);
  });
});

describe('the console asks for the password again', () => {
  const ASKED = 'Confirm your password';

  /** Makes the admin's sign-in older than 15 minutes. */
  const age = (): Promise<unknown> => ageSessions(stage.api, stage.world.people.admin.id, 16);

  const isMember = async (email: string): Promise<boolean> =>
    (await rows()).some((row) => row.includes(email));

  it('before it adds a member, and then completes the form', async () => {
    await age();
    const email = newEmail();
    const asked = await add({ email, name: 'Grace', role: 'editor' });
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining(ASKED)]);
    expect(await isMember(email)).toBe(false);
    const fields = hiddenFields(asked.text);
    const wrong = await admin.post(`${members}/add`, { ...fields, confirm_password: 'a wrong password' });
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('The password is wrong.')]);
    expect(await isMember(email)).toBe(false);
    const added = await admin.post(`${members}/add`, { ...fields, confirm_password: PASSWORD });
    expect([added.status, linkIn(added.text)]).toEqual([201, expect.stringContaining('/invitation/')]);
    expect((await rows()).find((row) => row.includes(email))).toContain('editor');
    expect((await add({ email: newEmail() })).status).toBe(201);
  });

  it('before it creates a new link, but not before it changes a role', async () => {
    const { id } = await invited();
    await age();
    const page = `${members}/${id}`;
    expect((await admin.submit(`${page}/role`, { role: 'editor' })).status).toBe(303);
    const asked = await admin.submit(`${page}/invitation`, {});
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining(ASKED)]);
    const fields = { ...hiddenFields(asked.text), confirm_password: PASSWORD };
    expect((await admin.post(`${page}/invitation`, fields)).status).toBe(201);
  });
});
