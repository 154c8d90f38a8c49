import { type Person, TestApi } from '../support/api';
import { OpenIdServer, signedInAs, useOpenId } from '../support/openid';
import { freePort } from '../support/server-process';
import { auditOf, nextAddress, signer, Visitor, withPassword } from '../support/visitor';

/* Sign-in with OpenID Connect, with the npm package `oidc-provider` as the provider. */

const scene = useOpenId();

let person: Person;
beforeEach(async () => {
  person = await scene.api.person();
});

const countOf = async (table: string): Promise<number> => {
  const [row]: { n: number | string }[] = await scene.api.database.read.query(
    `SELECT COUNT(*) AS n FROM ${table}`,
  );
  return Number(row?.n);
};

describe('the sign-in page', () => {
  it('offers the provider next to the password form, and keeps the redirect target', async () => {
    const { text } = await scene.browser().get('/login?next=/settings/sessions');
    expect(text).toContain('href="/login/oidc?next=%2Fsettings%2Fsessions"');
    expect(text).toMatch(/Sign in with <bdi class="name">Acme &lt;ID>/);
    expect(text).toContain('name="password"');
  });

  it('sends the browser to the provider with PKCE, state and nonce, which differ every time', async () => {
    const visitor = scene.browser();
    const [first, second] = [await visitor.begin(), await visitor.begin()];
    expect(first.origin).toBe(scene.provider.issuer);
    const { state, nonce, code_challenge, ...others } = Object.fromEntries(first.searchParams);
    expect(others).toEqual({
      client_id: 'gosset',
      redirect_uri: `${scene.publicUrl}/login/oidc/callback`,
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    expect([nonce, code_challenge].map((each) => each?.length)).toEqual([43, 43]);
    const again = Object.fromEntries(second.searchParams);
    expect([state, nonce, code_challenge]).not.toContain(again.state);
    expect(new Set([nonce, code_challenge, again.nonce, again.code_challenge]).size).toBe(4);
    const { setCookies } = await scene.browser().get('/login/oidc');
    expect(setCookies).toEqual([
      expect.stringMatching(/^gosset-openid=[\w-]{43}; .*HttpOnly; SameSite=Lax$/),
    ]);
  });
});

describe('an account with the verified e-mail address of a user', () => {
  it('signs the user in, regardless of letter case, with a new session', async () => {
    const visitor = scene.browser();
    const before = visitor.cookies.get('gosset');
    const answer = await visitor.withAccount(await scene.verified(person.email.toUpperCase()));
    expect([answer.status, answer.location, answer.headers['cache-control']]).toEqual([303, '/', 'no-store']);
    expect(await signedInAs(visitor)).toBe(person.email);
    expect(before).toBeUndefined();
    expect(
      (await auditOf(scene.api, person.id)).map(({ source, action }) => [source, action]).slice(-2),
    ).toEqual([
      ['page', 'link-identity'],
      ['page', 'sign-in'],
    ]);
  });

  it('ends the existing session of the browser', async () => {
    const visitor = scene.browser();
    const name = await scene.verified(person.email);
    const { pathname, search } = await scene.provider.answer((await visitor.begin()).href, { account: name });
    const other = await signer(scene.api);
    await visitor.signIn(other);
    const thief = new Visitor(scene.api, { cookie: `gosset=${visitor.cookies.get('gosset')}` });
    expect(await signedInAs(thief)).toBe(other.email);
    await visitor.get(`${pathname}${search}`);
    expect(await signedInAs(visitor)).toBe(person.email);
    expect(await signedInAs(thief)).toBeNull();
  });

  it.each([
    ['/settings/sessions', '/settings/sessions'],
    ['//evil.example', '/'],
    ['https://evil.example/', '/'],
    ['/%5Cevil.example', '/%5Cevil.example'],
    ['/\\evil.example', '/'],
    ['/login', '/'],
  ])('with ?next=%s is redirected to %s', async (next, goesTo) => {
    const query = `?next=${encodeURIComponent(next)}`;
    const { location } = await scene.browser().withAccount(await scene.verified(person.email), query);
    expect(location).toBe(goesTo);
  });

  it('can sign in from several tabs, even if an earlier one fails', async () => {
    const visitor = scene.browser();
    const name = await scene.verified(person.email);
    const [failing, first] = [await visitor.begin(), await visitor.begin()];
    const second = await visitor.begin('?next=/settings/sessions');
    const failed = `/login/oidc/callback?state=${failing.searchParams.get('state') ?? ''}&code=wrong`;
    expect((await visitor.get(failed)).status).toBe(422);
    const { pathname, search } = await scene.provider.answer(first.href, { account: name });
    expect((await visitor.get(`${pathname}${search}`)).location).toBe('/');
    const other = await scene.provider.answer(second.href, { account: name });
    expect((await visitor.get(`${other.pathname}${other.search}`)).location).toBe('/settings/sessions');
    expect(await signedInAs(visitor)).toBe(person.email);
  });

  it('keeps its user if its e-mail address changes, and the old address gives no access', async () => {
    const name = await scene.verified(person.email);
    await scene.browser().withAccount(name);
    await scene.provider.account(name, { email: 'married@example.com', email_verified: true });
    const visitor = scene.browser();
    await visitor.withAccount(name);
    expect(await signedInAs(visitor)).toBe(person.email);
    const successor = await scene.browser().withAccount(await scene.verified(person.email));
    expect([successor.status, successor.text]).toEqual([
      403,
      expect.stringContaining('already linked to a different'),
    ]);
    const { user_id: owner } = (
      await scene.api.database.read.query('SELECT user_id FROM identities WHERE subject = ?', [name])
    )[0] as { user_id: number };
    expect(owner).toBe(person.id);
  });

  it('is distinct from an account whose id differs only in case', async () => {
    const name = await scene.verified(person.email);
    await scene.browser().withAccount(name);
    await scene.provider.account(name.toUpperCase(), { email: person.email, email_verified: true });
    expect((await scene.browser().withAccount(name.toUpperCase())).status).toBe(403);
  });

  it('is distinct from an account whose id ends with a space, which databases ignore', async () => {
    const name = await scene.verified(person.email);
    await scene.browser().withAccount(name);
    await scene.provider.account(`${name} `, { email: 'other@example.com', email_verified: true });
    const other = scene.browser();
    const { status, text } = await other.withAccount(`${name} `);
    expect([status, text]).toEqual([422, expect.stringContaining('was invalid')]);
    expect(await signedInAs(other)).toBeNull();
  });

  it('completes an invitation', async () => {
    const { people, teamId } = await scene.api.world();
    const body = { email: `invited-${Date.now()}@example.com`, role: 'editor' };
    const answer = await people.admin.client.post(`/teams/${teamId}/members`, body);
    const { invitation_url: url } = answer.body as Record<string, string>;
    const visitor = scene.browser();
    await visitor.withAccount(await scene.verified(body.email));
    expect(await signedInAs(visitor)).toBe(body.email);
    expect((await scene.browser().get(new URL(url ?? '').pathname)).status).toBe(404);
  });
});

describe('an account is rejected', () => {
  it.each([
    ['unverified', { email_verified: false }],
    ['not declared to be verified', {}],
    ['declared to be verified with an invalid value', { email_verified: 'yes' }],
    ['unverified, although its domain is verified', { email_verified: false, xms_edov: true }],
    ['of an unverified domain', { xms_edov: false }],
  ])('whose e-mail address is %s', async (_, claims) => {
    const visitor = scene.browser();
    const { status, text } = await visitor.withAccount(
      await scene.account({ email: person.email, ...claims }),
    );
    expect([status, text]).toEqual([403, expect.stringContaining('has not verified your e-mail address')]);
    expect([await signedInAs(visitor), visitor.cookies.has('gosset')]).toEqual([null, false]);
  });

  it.each([
    ['no e-mail address', undefined],
    ['an invalid e-mail address', 'x y@example.com'],
  ])('if it has %s', async (_, email) => {
    expect(
      (await scene.browser().withAccount(await scene.account({ email, email_verified: true }))).status,
    ).toBe(403);
  });

  it('if it belongs to a disabled user', async () => {
    const name = await scene.verified(person.email);
    const users = 'UPDATE users SET disabled_at = ? WHERE id = ?';
    const disable = (at: number | null) =>
      scene.api.database.transaction((tx) => tx.query<unknown>(users, [at, person.id]));
    await disable(1);
    const known = await countOf('identities');
    const first = await scene.browser().withAccount(name);
    expect([first.status, first.text]).toEqual([
      403,
      expect.stringContaining('Your Gosset account is disabled'),
    ]);
    expect(await countOf('identities')).toBe(known);
    await disable(null);
    expect((await scene.browser().withAccount(name)).status).toBe(303);
    await disable(1);
    expect((await scene.browser().withAccount(name)).status).toBe(403);
  });

  it('if it belongs to no user, with an audit entry', async () => {
    const before = await countOf('users');
    const { status, text } = await scene.browser().withAccount(await scene.verified('stranger@example.com'));
    expect([status, text]).toEqual([403, expect.stringContaining('No user has your e-mail address')]);
    expect(await countOf('users')).toBe(before);
    const [entry]: { action: string; after: string }[] = await scene.api.database.read.query(
      'SELECT action, `after` FROM audit_entries ORDER BY id DESC LIMIT 1',
    );
    expect(entry?.action).toBe('sign-in-failed');
    expect(JSON.stringify(entry?.after)).toContain('stranger@example.com');
  });
});

describe('an account whose domain Microsoft Entra ID has verified', () => {
  it.each([true, 1, '1'])('signs in with xms_edov %j', async (xms_edov) => {
    expect(
      (await scene.browser().withAccount(await scene.account({ email: person.email, xms_edov }))).status,
    ).toBe(303);
  });
});

describe('the provider', () => {
  it("can return an error, which the page reports without showing the provider's text", async () => {
    const visitor = scene.browser();
    const callback = await scene.provider.answer((await visitor.begin()).href, { cancel: 'yes' });
    expect(callback.searchParams.get('error')).toBe('access_denied');
    const { status, text } = await visitor.get(`${callback.pathname}${callback.search}`);
    expect([status, text]).toEqual([
      422,
      expect.stringContaining('refused the sign-in, or the sign-in was cancelled'),
    ]);
    expect(text).not.toContain('<b>no');
    expect(text).toContain('name="password"');
  });

  it.each([
    ['does not respond', async () => `http://127.0.0.1:${await freePort()}`],
    [
      'has a different issuer in its metadata',
      () => Promise.resolve(scene.provider.issuer.replace('127.0.0.1', 'localhost')),
    ],
    ['has no metadata', () => Promise.resolve(`${scene.provider.issuer}/elsewhere`)],
  ])('that %s does not affect password sign-in', async (_, issuer) => {
    const other = await scene.startWith({ OIDC_ISSUER: await issuer() });
    const visitor = new Visitor(other, { 'x-forwarded-for': nextAddress() });
    const { status, text } = await visitor.get('/login/oidc?next=/settings/sessions');
    expect([status, text]).toEqual([502, expect.stringMatching(/Acme &lt;ID> does not respond/)]);
    expect(text).toContain('value="/settings/sessions"');
    const user = await withPassword(other, await other.person());
    expect((await visitor.signIn(user)).status).toBe(303);
    await other.close();
  });

  it('can start after the server', async () => {
    const port = await freePort();
    const other = await scene.startWith({ OIDC_ISSUER: `http://127.0.0.1:${port}` });
    const visitor = new Visitor(other, { 'x-forwarded-for': nextAddress() });
    expect((await visitor.get('/login/oidc')).status).toBe(502);
    const late = await OpenIdServer.start(scene.publicUrl, port);
    expect((await visitor.get('/login/oidc')).location).toContain(`http://127.0.0.1:${port}/`);
    await late.stop();
    await other.close();
  });

  it('is absent unless it is configured', async () => {
    const other = await TestApi.start();
    const visitor = new Visitor(other);
    expect((await visitor.get('/login')).text).not.toContain('/login/oidc');
    expect((await visitor.get('/login/oidc')).status).toBe(404);
    expect((await visitor.get('/login/oidc/callback?code=a&state=b')).status).toBe(404);
    await other.close();
  });
});
