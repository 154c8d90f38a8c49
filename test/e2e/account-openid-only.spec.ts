import { UsersService } from '../../src/users/users.service';
import { type Person, TestApi } from '../support/api';
import { signedInAs, useOpenId } from '../support/openid';
import {
  ageSessions,
  hiddenFields,
  NEW_TOKEN,
  nextAddress,
  PASSWORD,
  TOKENS_PAGE,
  Visitor,
  withPassword,
} from '../support/visitor';

/* Servers without passwords: all users sign in with the OpenID Connect provider. */

const scene = useOpenId();

describe('with PASSWORD_SIGN_IN=off', () => {
  let api: TestApi;
  let person: Person;
  beforeAll(async () => {
    api = await scene.startWith({ PASSWORD_SIGN_IN: 'off' });
    person = await withPassword(api, await api.person());
  });
  afterAll(() => api.close());

  it('the sign-in page shows only the provider', async () => {
    const { text } = await scene.browser(api).get('/login');
    expect(text).toContain('href="/login/oidc"');
    expect(text).not.toContain('name="password"');
  });

  it('the correct password is rejected, and the provider signs the user in', async () => {
    const visitor = scene.browser(api);
    const answer = await visitor.post('/login', { email: person.email, password: PASSWORD });
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('is disabled')]);
    expect(await signedInAs(visitor)).toBeNull();
    await visitor.withAccount(await scene.verified(person.email));
    expect(await signedInAs(visitor)).toBe(person.email);
  });

  it('there is no password page, and passwords are not accepted as confirmation', async () => {
    const visitor = scene.browser(api);
    await visitor.withAccount(await scene.verified((await api.person()).email));
    const { text } = await visitor.get('/settings/sessions');
    expect(text).not.toContain('/settings/password');
    expect((await visitor.get('/settings/password')).status).toBe(404);
    const fields = { current: PASSWORD, password: 'another password', repeated: 'another password' };
    expect((await visitor.post('/settings/password', { ...hiddenFields(text), ...fields })).status).toBe(404);
    const user = await withPassword(api, await api.person());
    await visitor.post('/logout', hiddenFields(text));
    await visitor.withAccount(await scene.verified(user.email));
    await ageSessions(api, user.id, 16);
    const asked = await visitor.submit(TOKENS_PAGE, NEW_TOKEN);
    expect(asked.status).toBe(200);
    expect(asked.text).not.toContain('type="password"');
    expect(asked.text).not.toContain('role="alert"');
    expect(hiddenFields(asked.text)).toMatchObject({ name: NEW_TOKEN.name });
    const again = await visitor.post(TOKENS_PAGE, hiddenFields(asked.text));
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('Sign in again with ')]);
    expect(again.text).toContain('role="alert"');
    expect((await visitor.submit(TOKENS_PAGE, { ...NEW_TOKEN, confirm_password: PASSWORD })).status).toBe(
      422,
    );
  });

  it('an invitation leads to the provider, and sets no password', async () => {
    const { people, teamId } = await api.world();
    const body = { email: 'new@example.com', role: 'viewer' };
    const answer = await people.admin.client.post(`/teams/${teamId}/members`, body);
    const page = new URL((answer.body as { invitation_url: string }).invitation_url).pathname;
    const visitor = new Visitor(api, { 'x-forwarded-for': nextAddress() });
    const { status, text } = await visitor.get(page);
    expect([status, text]).toEqual([200, expect.stringContaining('href="/login/oidc"')]);
    expect(text).not.toContain('name="password"');
    const form = { password: PASSWORD, repeated: PASSWORD };
    expect((await visitor.post(page, form)).status).toBe(403);
    expect(
      (await api.app.get(UsersService, { strict: false }).list()).find(({ email }) => email === body.email)
        ?.has_password,
    ).toBe(false);
  });
});
