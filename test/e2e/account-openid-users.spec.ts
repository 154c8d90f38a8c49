import { MembersService } from '../../src/teams/members.service';
import { TokensService } from '../../src/users/tokens/tokens.service';
import { IdentityStore } from '../../src/users/user.store';
import { UsersService } from '../../src/users/users.service';
import { AdminCommand } from '../support/admin';
import { type Person, TestApi } from '../support/api';
import { signedInAs, useOpenId } from '../support/openid';
import {
  ageSessions,
  auditOf,
  hiddenFields,
  NEW_TOKEN,
  PASSWORD,
  signedIn,
  TOKENS_PAGE,
  withPassword,
} from '../support/visitor';

/* OpenID Connect: new users, and re-authentication after an old sign-in. */

const scene = useOpenId();

const usersOf = (api: TestApi): UsersService => api.app.get(UsersService, { strict: false });

describe('OIDC_AUTO_CREATE', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await scene.startWith({ OIDC_AUTO_CREATE: '1:editor' });
  });
  afterAll(() => api.close());

  const members = async (): Promise<[string, string, string][]> => {
    const all = await api.app.get(MembersService, { strict: false }).all(1, 0);
    return all.map(({ record: { email, name, role } }) => [email, name, role]);
  };

  it('rejects unknown users if the team does not exist', async () => {
    const answer = await scene.browser(api).withAccount(await scene.verified('early@example.com'));
    expect(answer.status).toBe(403);
    expect(await usersOf(api).list()).toEqual([]);
  });

  it('creates unknown users in the team, once', async () => {
    expect(await api.team()).toBe(1);
    const name = await scene.account({
      email: 'Ada@Example.com',
      email_verified: true,
      name: ' Ada\u0000 L. ',
    });
    const answers = await Promise.all([1, 2, 3, 4].map(() => scene.browser(api).withAccount(name)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    expect(await members()).toEqual([['ada@example.com', 'Ada L.', 'editor']]);
    const [user] = await usersOf(api).list();
    expect(user).toMatchObject({ email: 'ada@example.com', has_password: false });
    const entries = (await auditOf(api, user?.id ?? 0)).map(({ source, action }) => `${source} ${action}`);
    expect(entries.slice(0, 2)).toEqual(['server create', 'page link-identity']);
  });

  it('rejects an e-mail address that becomes too long in lower case', async () => {
    const name = await scene.verified(`${'İ'.repeat(200)}@example.com`);
    expect((await scene.browser(api).withAccount(name)).status).toBe(403);
  });

  it('finds a user that a concurrent sign-in has just created', async () => {
    const name = await scene.verified('grace@example.com');
    expect((await scene.browser(api).withAccount(name)).status).toBe(303);
    const store = api.app.get(IdentityStore, { strict: false });
    const lookUp = jest.spyOn(store, 'ofAccount').mockResolvedValueOnce(null);
    const visitor = scene.browser(api);
    expect((await visitor.withAccount(name)).status).toBe(303);
    expect(lookUp).toHaveBeenCalledTimes(1);
    expect(await signedInAs(visitor)).toBe('grace@example.com');
    lookUp.mockRestore();
  });

  it('creates no user with an unverified e-mail address', async () => {
    const name = await scene.account({ email: 'forged@example.com', email_verified: false });
    expect((await scene.browser(api).withAccount(name)).status).toBe(403);
    expect((await members()).map(([email]) => email)).not.toContain('forged@example.com');
  });

  it('rejects an e-mail address with a non-ASCII letter that becomes a known address in lower case', async () => {
    const user = { email: 'karl@example.com', name: 'Karl', rate_limit: null, password: null };
    await usersOf(api).create(user, 'admin');
    const kelvin = await scene.browser(api).withAccount(await scene.verified('\u212aarl@example.com'));
    expect(kelvin.status).toBe(403);
  });

  it('names users with an invisible name after their e-mail address', async () => {
    const name = await scene.account({ email: 'eve@example.com', email_verified: true, name: '\u3164' });
    await scene.browser(api).withAccount(name);
    expect(await members()).toContainEqual(['eve@example.com', 'eve', 'editor']);
  });

  it('does not change the teams of existing users', async () => {
    const known = await api.person();
    expect((await scene.browser(api).withAccount(await scene.verified(known.email))).status).toBe(303);
    expect((await members()).map(([email]) => email)).not.toContain(known.email);
  });
});

describe('the first sign-in of a user with a provider account', () => {
  it('ends all other sessions of the user, unlike later sign-ins', async () => {
    const { visitor: earlier, person } = await signedIn(scene.api);
    const account = await scene.verified(person.email);
    const [first, second] = [scene.browser(), scene.browser()];
    await first.withAccount(account);
    expect([await signedInAs(earlier), await signedInAs(first)]).toEqual([null, person.email]);
    await second.withAccount(account);
    expect([await signedInAs(first), await signedInAs(second)]).toEqual([person.email, person.email]);
  });

  it('keeps the session that it confirms', async () => {
    const { visitor: earlier, person } = await signedIn(scene.api);
    const visitor = scene.browser();
    await visitor.signIn(person);
    const account = await scene.verified(person.email);
    expect((await visitor.withAccount(account, '?confirm=yes')).status).toBe(303);
    expect([await signedInAs(earlier), await signedInAs(visitor)]).toEqual([null, person.email]);
  });
});

describe('a user without a password', () => {
  it('is told so on the password page, and how to sign in, without a form', async () => {
    const visitor = scene.browser();
    await visitor.withAccount(await scene.verified((await scene.api.person()).email));
    const { status, text } = await visitor.get('/settings/password');
    expect([status, text]).toEqual([200, expect.stringContaining('Your account has no password.')]);
    expect(text).toMatch(/You sign in with <bdi class="name">Acme &lt;ID>/);
    expect(text).not.toContain('type="password"');
    const fields = { current: PASSWORD, password: 'another password', repeated: 'another password' };
    for (let count = 0; count < 6; count += 1) {
      const answer = await visitor.post('/settings/password', { ...hiddenFields(text), ...fields });
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('has no password')]);
    }
  });
});

describe('an unlinked user', () => {
  it('is signed out, and can sign in with another account', async () => {
    const person = await scene.api.person();
    const visitor = scene.browser();
    await visitor.withAccount(await scene.verified(person.email));
    const unlink = ['users:unlink', '--email', person.email];
    const admin = new AdminCommand(scene.api.databaseUrl);
    expect(await admin.json(unlink)).toMatchObject({
      email: person.email,
      unlinked: [expect.stringMatching(/^http/)],
    });
    expect((await admin.run(unlink)).stdout).toMatch(/^unlinked +-$/m);
    expect(await signedInAs(visitor)).toBeNull();
    const other = scene.browser();
    await other.withAccount(await scene.verified(person.email));
    expect(await signedInAs(other)).toBe(person.email);
    const actions = (await auditOf(scene.api, person.id)).map(({ action }) => action);
    expect(actions).toContain('unlink-identity');
  });
});

describe('a sign-in that is older than 15 minutes', () => {
  let person: Person;
  let account: string;
  beforeEach(async () => {
    person = await scene.api.person();
    account = await scene.verified(person.email);
  });

  it('is confirmed at the provider, which asks for the password again', async () => {
    const visitor = scene.browser();
    await visitor.withAccount(account);
    await ageSessions(scene.api, person.id, 16);
    const asked = await visitor.submit(TOKENS_PAGE, NEW_TOKEN);
    expect(asked.status).toBe(200);
    const [, link = ''] = /href="\/login\/oidc(\?[^"]+)"/.exec(asked.text) ?? [];
    const query = link.replaceAll('&amp;', '&');
    const { searchParams } = await visitor.begin(query);
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '0']);
    const { location } = await visitor.withAccount(account, query);
    expect(location).toBe(`${TOKENS_PAGE}?notice=confirmed`);
    expect((await visitor.get(location ?? '')).text).toContain(
      'You can create tokens for the next 15 minutes.',
    );
    expect((await visitor.submit(TOKENS_PAGE, NEW_TOKEN)).status).toBe(201);
  });

  it('is confirmed in another tab, after which the form can be submitted with its input', async () => {
    await withPassword(scene.api, person);
    const visitor = scene.browser();
    await visitor.withAccount(account);
    await ageSessions(scene.api, person.id, 16);
    const asked = await visitor.submit(TOKENS_PAGE, { ...NEW_TOKEN, name: 'Kept name', expires: '30' });
    expect(asked.text).toMatch(/href="\/login\/oidc[^"]+" target="_blank" rel="noopener"/);
    const form = hiddenFields(asked.text);
    const early = await visitor.post(TOKENS_PAGE, form);
    expect([early.status, hiddenFields(early.text)]).toEqual([
      200,
      { ...form, form_token: expect.any(String) },
    ]);
    await visitor.withAccount(account, '?confirm=yes');
    // The page also has a password field, which stays empty.
    const made = await visitor.post(TOKENS_PAGE, { ...form, confirm_password: '' });
    expect([made.status, made.text]).toEqual([201, expect.stringContaining('shown only once')]);
    const tokens = await scene.api.app.get(TokensService, { strict: false }).list(person.id);
    expect(tokens.at(-1)).toMatchObject({ name: 'Kept name', expires_at: expect.any(String) });
  });

  it('is confirmed without a password by users who have none', async () => {
    const visitor = scene.browser();
    await visitor.withAccount(account);
    await ageSessions(scene.api, person.id, 16);
    const asked = await visitor.submit(TOKENS_PAGE, NEW_TOKEN);
    expect(asked.text).toContain('<h1>Confirm your identity</h1>');
    expect(asked.text).not.toContain('type="password"');
    const guessed = await visitor.post(TOKENS_PAGE, {
      ...hiddenFields(asked.text),
      confirm_password: PASSWORD,
    });
    expect([guessed.status, guessed.text]).toEqual([422, expect.stringContaining('Sign in again with ')]);
    expect(guessed.text).not.toContain('Enter your password');
  });

  it('is not confirmed by another account', async () => {
    const visitor = scene.browser();
    await visitor.withAccount(account);
    await ageSessions(scene.api, person.id, 16);
    const other = await scene.verified((await scene.api.person()).email);
    const answer = await visitor.withAccount(other, '?confirm=yes');
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('as a different user')]);
    expect(answer.text).toContain('<h1>Sign-in failed</h1>');
    expect(answer.text).toMatch(new RegExp(`You are still signed in as .*${person.email}`));
    expect(await signedInAs(visitor)).toBe(person.email);
    expect((await visitor.submit(TOKENS_PAGE, NEW_TOKEN)).status).toBe(200);
  });

  it('is not confirmed by an old sign-in at the provider', async () => {
    const visitor = scene.browser();
    await visitor.withAccount(account);
    await ageSessions(scene.api, person.id, 16);
    // From the server's point of view, the user signed in at the provider two minutes before the confirmation began.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 120_000);
    const late = await visitor.begin('?confirm=yes');
    clock.mockRestore();
    const { status, text } = await visitor.comeBack(late, account);
    expect([status, text]).toEqual([403, expect.stringContaining('did not confirm that you have just')]);
    expect((await visitor.submit(TOKENS_PAGE, NEW_TOKEN)).status).toBe(200);
  });

  it('is not confirmed if the provider does not say when the password was entered', async () => {
    const visitor = scene.browser();
    await visitor.withAccount(account);
    await ageSessions(scene.api, person.id, 16);
    // The user can change the request to the provider, so the server must not rely on its parameters.
    const asked = await visitor.begin('?confirm=yes');
    asked.searchParams.delete('prompt');
    asked.searchParams.delete('max_age');
    const { status, text } = await visitor.comeBack(asked, account);
    expect([status, text]).toEqual([403, expect.stringContaining('did not confirm that you have just')]);
    expect((await visitor.submit(TOKENS_PAGE, NEW_TOKEN)).status).toBe(200);
  });

  it('is not confirmed for a session that began after the request', async () => {
    const visitor = scene.browser();
    await visitor.withAccount(account);
    const asked = await visitor.begin('?confirm=yes');
    await visitor.submit(TOKENS_PAGE, {}, '/logout');
    await withPassword(scene.api, person);
    await visitor.submit('/login', { email: person.email, password: PASSWORD });
    await ageSessions(scene.api, person.id, 16);
    const { status, text } = await visitor.comeBack(asked, account);
    expect([status, text]).toEqual([422, expect.stringContaining('This sign-in has expired')]);
    expect((await visitor.submit(TOKENS_PAGE, NEW_TOKEN)).status).toBe(200);
  });
});
