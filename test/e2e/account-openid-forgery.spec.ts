import { type Person } from '../support/api';
import { signedInAs, useOpenId } from '../support/openid';

/* Provider responses that an attacker has changed, stolen, replayed or delayed. */

const scene = useOpenId();

let person: Person;
beforeEach(async () => {
  person = await scene.api.person();
});

describe('a forged response', () => {
  const INVALID = /was invalid|has expired or was started in another browser/;

  it.each<[string, (callback: URL) => void]>([
    ['another state', ({ searchParams }) => searchParams.set('state', 'x'.repeat(80))],
    ['no state', ({ searchParams }) => searchParams.delete('state')],
    ['two states', ({ searchParams }) => searchParams.append('state', 'a')],
    ['another issuer', ({ searchParams }) => searchParams.set('iss', 'https://evil.example')],
    ['no issuer', ({ searchParams }) => searchParams.delete('iss')],
    ['another code', ({ searchParams }) => searchParams.set('code', 'a code of somebody else')],
    ['no code', ({ searchParams }) => searchParams.delete('code')],
  ])('with %s is rejected', async (_, change) => {
    const visitor = scene.browser();
    const { status, text } = await visitor.withAccount(await scene.verified(person.email), '', change);
    expect([status, text]).toEqual([422, expect.stringMatching(INVALID)]);
    expect(await signedInAs(visitor)).toBeNull();
  });

  it.each(['nonce', 'code_challenge'])('to a request with a different %s is rejected', async (parameter) => {
    const visitor = scene.browser();
    const url = await visitor.begin();
    url.searchParams.set(parameter, 'A'.repeat(43));
    const callback = await scene.provider.answer(url.href, { account: await scene.verified(person.email) });
    const { status, text } = await visitor.get(`${callback.pathname}${callback.search}`);
    expect([status, text]).toEqual([422, expect.stringContaining('was invalid')]);
    expect(await signedInAs(visitor)).toBeNull();
  });

  it('in another browser is rejected, on a page that does not leak the callback URL', async () => {
    const name = await scene.verified(person.email);
    const callback = await scene.provider.answer((await scene.browser().begin()).href, { account: name });
    const victim = scene.browser();
    await victim.begin();
    const { status, text, headers } = await victim.get(`${callback.pathname}${callback.search}`);
    expect([status, text]).toEqual([
      422,
      expect.stringMatching(/has expired or was started in another browser/),
    ]);
    expect([headers['referrer-policy'], headers['cache-control']]).toEqual(['strict-origin', 'no-store']);
    expect(await signedInAs(victim)).toBeNull();
  });

  it('that replays an earlier response is rejected, with and without its cookie', async () => {
    const visitor = scene.browser();
    const callback = await scene.provider.answer((await visitor.begin()).href, {
      account: await scene.verified(person.email),
    });
    const cookie = visitor.cookies.get('gosset-openid') ?? '';
    const path = `${callback.pathname}${callback.search}`;
    expect((await visitor.get(path)).status).toBe(303);
    const thief = scene.browser();
    expect((await thief.get(path)).status).toBe(422);
    thief.cookies.set('gosset-openid', cookie);
    const again = await thief.get(path);
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('was invalid')]);
    expect(await signedInAs(thief)).toBeNull();
  });

  it('is rejected when it is too old', async () => {
    const visitor = scene.browser();
    const callback = await scene.provider.answer((await visitor.begin()).href, {
      account: await scene.verified(person.email),
    });
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 16 * 60_000);
    const { status, text } = await visitor.get(`${callback.pathname}${callback.search}`);
    clock.mockRestore();
    expect([status, text]).toEqual([422, expect.stringContaining('has expired')]);
  });

  it('is rate limited: the twenty-first per minute is not checked', async () => {
    const visitor = scene.browser();
    const state = (await visitor.begin()).searchParams.get('state') ?? '';
    const cookie = visitor.cookies.get('gosset-openid') ?? '';
    const forge = () => {
      visitor.cookies.set('gosset-openid', cookie);
      return visitor.get(`/login/oidc/callback?state=${state}&code=b`);
    };
    for (let count = 0; count < 20; count += 1) {
      expect((await forge()).status).toBe(422);
    }
    const refused = await forge();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect((await visitor.get('/login/oidc')).status).toBe(429);
    expect((await scene.browser().begin()).origin).toBe(scene.provider.issuer);
  });

  it('does not count towards the limit if the browser has not started a sign-in, because any site can request the callback', async () => {
    const visitor = scene.browser();
    for (let count = 0; count < 25; count += 1) {
      expect((await visitor.get('/login/oidc/callback?state=a&code=b')).status).toBe(422);
    }
    expect((await visitor.begin()).origin).toBe(scene.provider.issuer);
  });
});
