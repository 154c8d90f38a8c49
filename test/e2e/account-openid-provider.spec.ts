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

describe('provider metadata', () => {
  it.each<[string, Record<string, unknown>]>([
    ['without an authorization endpoint', { authorization_endpoint: undefined }],
    ['with a relative authorization endpoint', { authorization_endpoint: '/authorize' }],
    ['with a script as authorization endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
    ['without a token endpoint', { token_endpoint: undefined }],
    ['of more than one MiB', { padding: 'x'.repeat(1024 * 1024) }],
  ])('%s are refused, and are read again at the next sign-in', async (_, metadata) => {
    provider.metadata = metadata;
    const visitor = browser();
    const { status, text } = await visitor.get('/login/oidc');
    expect([status, text]).toEqual([502, expect.stringContaining('does not respond')]);
    provider.metadata = {};
    expect((await visitor.get('/login/oidc')).location).toContain(`${provider.issuer}/authorize`);
  });
});
