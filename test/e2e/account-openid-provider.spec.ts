import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { TestApi } from '../support/api';
import { FakeProvider } from '../support/fake-provider';
import { OPENID_CLIENT, signedInAs } from '../support/openid';
import { nextAddress, type PageAnswer, Visitor } from '../support/visitor';

/* OpenID Connect providers with unusual or invalid responses. */

let provider: FakeProvider;
let api: TestApi;

beforeEach(async () => {
  provider = await FakeProvider.start();
  api = await TestApi.start({
    PUBLIC_URL: 'http://localhost:3000',
    TRUST_PROXY: '127.0.0.1',
    OIDC_ISSUER: provider.issuer,
    ...OPENID_CLIENT,
  });
});
afterEach(async () => {
  await api.close();
  await provider.stop();
});

const browser = (): Visitor => new Visitor(api, { 'x-forwarded-for': nextAddress() });

async function signIn(visitor: Visitor): Promise<PageAnswer> {
  const { location = '' } = await visitor.get('/login/oidc');
  return visitor.get(provider.callback(new URL(location)));
}

describe('an e-mail address from the userinfo endpoint', () => {
  it.each([
    ['says nothing', {}],
    ['calls an address verified that it does not contain', { email_verified: true }],
    ['calls a domain verified that it does not contain', { xms_edov: true }],
  ])('is only accepted if that endpoint calls it verified, even if the ID token %s', async (_, claims) => {
    const { email } = await api.person();
    provider.idToken = claims;
    provider.userinfo = { email, email_verified: false };
    const visitor = browser();
    expect((await signIn(visitor)).status).toBe(403);
    expect(await signedInAs(visitor)).toBeNull();
    provider.userinfo = { email, email_verified: true };
    expect((await signIn(visitor)).status).toBe(303);
    expect(await signedInAs(visitor)).toBe(email);
  });
});

describe('an e-mail address in an ID token without a statement that it is verified', () => {
  it.each([
    ['an address only', (email: string) => ({ email })],
    ['a null statement', (email: string) => ({ email, email_verified: null })],
    ['an empty address', () => ({ email: '', email_verified: true })],
    ['no address but null', () => ({ email: null, email_verified: true })],
  ])('is replaced by that of the userinfo endpoint (%s), as with Okta', async (_, idTokenOf) => {
    const { email } = await api.person();
    provider.idToken = idTokenOf(email);
    provider.userinfo = { email, email_verified: true };
    const visitor = browser();
    expect((await signIn(visitor)).status).toBe(303);
    expect(await signedInAs(visitor)).toBe(email);
  });

  it('is not the address that the userinfo endpoint calls verified, if that is a different one', async () => {
    const [{ email }, other] = [await api.person(), await api.person()];
    provider.idToken = { email };
    provider.userinfo = { email: other.email, email_verified: true };
    const visitor = browser();
    await signIn(visitor);
    expect(await signedInAs(visitor)).toBe(other.email);
  });

  it('does not get the statement from a userinfo response without an address', async () => {
    const { email } = await api.person();
    provider.idToken = { email };
    provider.userinfo = { email_verified: true };
    expect((await signIn(browser())).status).toBe(403);
  });

  it.each([
    ['fails', { status: 400, type: 'text/html' }],
    ['refuses the token', { status: 401, type: 'application/json' }],
  ])('is unverified if the userinfo endpoint %s', async (_, { status: code, type }) => {
    provider.idToken = { email: (await api.person()).email };
    provider.overrides.set('/userinfo', (response) => {
      response.writeHead(code, { 'content-type': type, 'www-authenticate': 'Bearer realm="x"' }).end();
    });
    const { status, text } = await signIn(browser());
    expect([status, text]).toEqual([403, expect.stringContaining('has not verified your e-mail address')]);
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['is down', (response) => response.writeHead(503).end('{}')],
    ['closes the connection', (response) => response.destroy()],
  ])('cannot be checked if the userinfo endpoint %s', async (_, override) => {
    provider.idToken = { email: (await api.person()).email };
    provider.overrides.set('/userinfo', override);
    const { status, text } = await signIn(browser());
    expect([status, text]).toEqual([502, expect.stringContaining('does not respond')]);
  });

  it('is unverified if there is no userinfo endpoint', async () => {
    provider.metadata = { userinfo_endpoint: undefined };
    provider.idToken = { email: (await api.person()).email };
    expect((await signIn(browser())).status).toBe(403);
  });

  it.each([
    [true, 303],
    [false, 403],
  ])('is not replaced if the ID token says that it is verified: %s', async (email_verified, expected) => {
    const { email } = await api.person();
    provider.idToken = { email, email_verified };
    provider.userinfo = { email, email_verified: !email_verified };
    expect((await signIn(browser())).status).toBe(expected);
  });
});

describe('the log', () => {
  const reply = (code: number, type: string, body: string) => (response: ServerResponse) =>
    response.writeHead(code, { 'content-type': type }).end(body);
  const challenge = (response: ServerResponse) =>
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  const HINT = 'check OIDC_CLIENT_SECRET';

  /** Signs in, and returns the status of the page and the line in the log. */
  async function failure(): Promise<[number, string]> {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const { status } = await signIn(browser());
    const [[line]] = warn.mock.calls as [[string]];
    warn.mockRestore();
    return [status, line];
  }

  it.each<[string, string, Record<string, unknown>]>([
    ['another nonce', 'unexpected ID Token "nonce" claim value', { nonce: 'secret' }],
    ['another audience', 'unexpected JWT "aud" (audience) claim value', { aud: 'secret' }],
    ['an expired ID token', 'expiration is past current timestamp', { exp: 1, name: 'secret' }],
  ])('says what is wrong with %s, without the claims', async (_, reason, claims) => {
    provider.idToken = claims;
    const [status, line] = await failure();
    expect([status, line]).toEqual([422, expect.stringContaining(reason)]);
    expect(line).not.toContain('secret');
  });

  it.each<[string, string, number, (response: ServerResponse) => unknown]>([
    ['rejects the client', HINT, 422, reply(401, 'application/json', '{"error":"invalid_client"}')],
    ['challenges the client', HINT, 422, challenge],
    ['responds with a page', 'status 400', 422, reply(400, 'text/html', 'secret')],
    ['responds with invalid JSON', 'failed to parse', 422, reply(200, 'application/json', '{secret')],
    ['has too many requests', 'status 429', 502, reply(429, 'application/json', '{"error":"slow_down"}')],
    [
      'closes the connection',
      'terminated',
      502,
      (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('{"secret"');
        setTimeout(() => response.destroy(), 50);
      },
    ],
  ])('says why if the token endpoint %s (%s)', async (_, reason, expected, override) => {
    provider.overrides.set('/token', override);
    const [status, line] = await failure();
    expect([status, line]).toEqual([expected, expect.stringContaining(reason)]);
    expect(line.includes(HINT)).toBe(reason === HINT);
    expect(line).not.toContain('secret');
  });

  it('does not blame the client secret if the userinfo endpoint rejects the token', async () => {
    provider.overrides.set('/userinfo', challenge);
    const [status, line] = await failure();
    expect([status, line]).toEqual([422, expect.stringContaining('status 401')]);
    expect(line).not.toContain(HINT);
  });

  it.each([
    ['email is missing', { email_verified: true }],
    ['email is not a valid address', { email: 'x y@example.com', email_verified: true }],
    ['email_verified and xms_edov are missing', { email: 'ann@example.com' }],
    ['email_verified is not true', { email: 'ann@example.com', email_verified: false }],
    ['xms_edov is not true', { email: 'ann@example.com', xms_edov: false }],
  ])('says why an address is unverified: %s', async (reason, claims) => {
    provider.metadata = { userinfo_endpoint: undefined };
    provider.idToken = claims;
    const [status, line] = await failure();
    expect([status, line]).toEqual([403, expect.stringContaining(`: ${reason}`)]);
    expect(line).not.toContain('example.com');
  });
});

describe('provider metadata', () => {
  it('can have null instead of a list of authentication methods', async () => {
    const { email } = await api.person();
    provider.metadata = { token_endpoint_auth_methods_supported: null };
    provider.idToken = { email, email_verified: true };
    const visitor = browser();
    expect((await signIn(visitor)).status).toBe(303);
    expect(await signedInAs(visitor)).toBe(email);
  });

  it.each<[string, Record<string, unknown>]>([
    ['without an authorization endpoint', { authorization_endpoint: undefined }],
    ['with a relative authorization endpoint', { authorization_endpoint: '/authorize' }],
    ['with a script as authorization endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
    ['without a token endpoint', { token_endpoint: undefined }],
    ['with an invalid list of authentication methods', { token_endpoint_auth_methods_supported: true }],
    ['of more than one MiB', { padding: 'x'.repeat(1024 * 1024) }],
  ])('%s are refused, and are read again at the next sign-in', async (_, metadata) => {
    provider.metadata = metadata;
    const visitor = browser();
    const { status, text } = await visitor.get('/login/oidc');
    expect([status, text]).toEqual([502, expect.stringContaining('does not respond')]);
    provider.metadata = {};
    expect((await visitor.get('/login/oidc')).location).toContain(`${provider.issuer}/authorize`);
  });

  it.each<[string, () => string, number]>([
    ['an invalid response', () => `${provider.issuer}/keys`, 422],
    ['no response', () => 'http://127.0.0.1:1/token', 502],
  ])('that led to %s are read again after a minute', async (_, endpoint, expected) => {
    const { email } = await api.person();
    provider.idToken = { email, email_verified: true };
    provider.metadata = { token_endpoint: endpoint() };
    expect((await signIn(browser())).status).toBe(expected);
    provider.metadata = {};
    // Otherwise, forged responses would cause a request for the metadata each.
    expect((await signIn(browser())).status).toBe(expected);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    expect((await signIn(browser())).status).toBe(expected);
    expect((await signIn(browser())).status).toBe(303);
    clock.mockRestore();
  });
});
