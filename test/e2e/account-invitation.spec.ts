import { InvitationStore } from '../../src/users/invitation.store';
import { Person, TestApi } from '../support/api';
import { useScene } from '../support/scene';
import {
  auditOf,
  hiddenFields,
  nextAddress,
  PASSWORD,
  signedIn,
  Visitor,
  withPassword,
} from '../support/visitor';

/* Invitation links, with which new users set their first password. */

const scene = useScene({ TRUST_PROXY: '127.0.0.1' });

const GOOD = { password: PASSWORD, repeated: PASSWORD };
const INVALID = 'This invitation is not valid';

let count = 0;

/** Adds a member with an invitation. @returns the member and the path of the invitation page */
async function invite(): Promise<{ id: number; email: string; page: string }> {
  count += 1;
  const body = { email: `guest-${count}@example.com`, role: 'editor' };
  const answer = await scene.client.post(`/teams/${scene.world.teamId}/members`, body);
  const { user_id: id, email, invitation_url: url } = answer.body as Record<string, string>;
  return { id: Number(id), email, page: new URL(url).pathname };
}

const browser = (api: TestApi = scene.api): Visitor => new Visitor(api, { 'x-forwarded-for': nextAddress() });

const setIn = (table: 'users' | 'invitations', assignment: string, id: number): Promise<unknown> =>
  scene.api.database.transaction((tx) =>
    tx.query(`UPDATE ${table} SET ${assignment} WHERE ${table === 'users' ? 'id' : 'user_id'} = ?`, [id]),
  );

describe('an invitation link', () => {
  it('lets a new user set a password, and signs the user in', async () => {
    const { id, email, page } = await invite();
    const visitor = browser();
    const form = await visitor.get(page);
    expect(form.status).toBe(200);
    expect(form.text).toContain(`Set a password for <bdi>${email}</bdi>`);
    const { status, location } = await visitor.submit(page, GOOD);
    expect([status, location]).toEqual([303, '/']);
    const home = await visitor.get('/');
    expect([home.status, home.text.includes(email)]).toEqual([200, true]);
    expect((await browser().signIn({ email })).status).toBe(303);
    const entries = await auditOf(scene.api, id);
    expect(entries.map(({ source, action, user }) => [source, action, user])).toEqual([
      ['api', 'create', scene.world.people.admin.id],
      ['page', 'accept-invitation', id],
      ['page', 'sign-in', id],
      ['page', 'sign-in', id],
    ]);
  });

  it('is not sent as a referrer, not even to this server, and is not cached', async () => {
    const { page } = await invite();
    const { headers, text } = await browser().get(page);
    expect([headers['referrer-policy'], headers['cache-control']]).toEqual(['strict-origin', 'no-store']);
    expect(text).toContain('<meta name="referrer" content="strict-origin"/>');
  });

  it('works once', async () => {
    const { page } = await invite();
    await browser().submit(page, GOOD);
    const again = await browser().get(page);
    expect([again.status, again.text.includes(INVALID)]).toEqual([404, true]);
  });

  it('works only once if two browsers have its form open, even in two processes', async () => {
    const { email, page } = await invite();
    const sibling = await scene.api.sibling({ TRUST_PROXY: '127.0.0.1' });
    const visitors = [browser(), browser(sibling)];
    const passwords = ['the first password', 'the second password'];
    const forms = await Promise.all(visitors.map((visitor) => visitor.get(page)));
    const answers = await Promise.all(
      visitors.map((visitor, index) =>
        visitor.post(page, {
          ...hiddenFields(forms[index].text),
          password: passwords[index],
          repeated: passwords[index],
        }),
      ),
    );
    const winner = answers.findIndex(({ status }) => status === 303);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404]);
    expect((await browser().signIn({ email }, passwords[winner])).status).toBe(303);
    expect((await browser().signIn({ email }, passwords[1 - winner])).status).toBe(422);
    await sibling.close();
  });

  it.each<[string, (id: number) => Promise<unknown>]>([
    ['has expired', (id) => setIn('invitations', 'expires_at = 1', id)],
    ['belongs to a disabled user', (id) => setIn('users', 'disabled_at = 1', id)],
    [
      'belongs to a user who has received a password in another way',
      (id) => withPassword(scene.api, { id } as Person, 'set by an administrator'),
    ],
    ['was replaced', (id) => scene.client.post(`/teams/${scene.world.teamId}/members/${id}/invitation`)],
    [
      'belongs to a removed member',
      (id) => scene.client.delete(`/teams/${scene.world.teamId}/members/${id}`),
    ],
  ])('is rejected if it %s, even with an open form, without a detailed reason', async (_, change) => {
    const { id, email, page } = await invite();
    const unknown = await browser().get(`/invitation/${'a'.repeat(43)}`);
    const visitor = browser();
    const form = await visitor.get(page);
    await change(id);
    const opened = await browser().get(page);
    const late = await visitor.post(page, { ...hiddenFields(form.text), ...GOOD });
    const withoutNonce = (text: string): string => text.replace(/nonce="[^"]*"/g, '');
    expect([late.status, opened.status, unknown.status]).toEqual([404, 404, 404]);
    expect(withoutNonce(opened.text)).toBe(withoutNonce(unknown.text));
    expect(withoutNonce(late.text)).toBe(withoutNonce(unknown.text));
    expect((await browser().signIn({ email })).status).toBe(422);
  });

  it('is not used up if the user is disabled at that moment', async () => {
    const { page } = await invite();
    const store = scene.api.app.get(InvitationStore, { strict: false });
    jest.spyOn(store, 'setFirstPassword').mockResolvedValueOnce(false);
    expect((await browser().submit(page, GOOD)).status).toBe(404);
    expect((await browser().submit(page, GOOD)).status).toBe(303);
  });

  it.each(['x', 'a'.repeat(44), '%00', 'a%2Fb', '..%2Flogin', 'é'.repeat(43)])(
    'is unknown with the secret %s',
    async (secret) => {
      const { status, text } = await browser().get(`/invitation/${encodeURI(secret).replaceAll('%25', '%')}`);
      expect([status, text.includes(INVALID)]).toEqual([404, true]);
    },
  );

  it('shows password errors, and stays valid', async () => {
    const { page } = await invite();
    const visitor = browser();
    const short = await visitor.submit(page, { password: 'too short', repeated: 'too short' });
    expect([short.status, short.text]).toEqual([
      422,
      expect.stringContaining('The password must have 10 to 1024 characters, not 9.'),
    ]);
    const different = await visitor.submit(page, { ...GOOD, repeated: 'another password' });
    expect([different.status, different.text]).toEqual([
      422,
      expect.stringContaining('The passwords do not match.'),
    ]);
    expect((await visitor.submit(page, GOOD)).status).toBe(303);
  });

  it('accepts only a form from its own page in the same browser', async () => {
    const { page } = await invite();
    const stranger = browser();
    expect((await stranger.post(page, GOOD)).status).toBe(403);
    const { text } = await browser().get(page);
    expect((await stranger.post(page, { ...hiddenFields(text), ...GOOD })).status).toBe(403);
    const visitor = browser();
    const form = await visitor.get(page);
    const foreign = { origin: 'https://evil.example.com' };
    expect((await visitor.post(page, { ...hiddenFields(form.text), ...GOOD }, foreign)).status).toBe(403);
  });

  it("replaces another user's session, after a notice", async () => {
    const { email, page } = await invite();
    const { visitor, person } = await signedIn(scene.api);
    expect((await visitor.get(page)).text).toContain(`You are signed in as <bdi>${person.email}</bdi>`);
    await visitor.submit(page, GOOD);
    const home = (await visitor.get('/')).text;
    expect([home.includes(email), home.includes(person.email)]).toEqual([true, false]);
  });

  it('is limited to twenty requests per minute per address if it is unknown, while valid links keep working', async () => {
    const { page } = await invite();
    const visitor = browser();
    for (let index = 0; index < 25; index += 1) {
      expect((await visitor.get(page)).status).toBe(200);
    }
    const unknown = () => visitor.get(`/invitation/${'b'.repeat(43)}`);
    for (let index = 0; index < 20; index += 1) {
      expect((await unknown()).status).toBe(404);
    }
    const refused = await unknown();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(refused.text).toContain('Too many attempts. Try again in');
    expect((await visitor.submit(page, GOOD)).status).toBe(303);
    expect((await visitor.get(page)).status).toBe(429);
    expect((await browser().get(page)).status).toBe(404);
  });
});
