import { TestApi } from '../support/api';
import { controllerRoutesOf } from '../support/routes';
import { hiddenFields, PageAnswer, PASSWORD, signedIn, signer, Visitor } from '../support/visitor';

/* CSRF protection: forms are accepted only from the server's own pages. */

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => api.close());

const HOME = '/settings/api-tokens';
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const TOKEN = { name: 'Made', permission: 'read' };

async function tokenOf(visitor: Visitor, path = HOME): Promise<string> {
  return hiddenFields((await visitor.get(path)).text).form_token;
}

function expectExpired({ status, text, headers }: PageAnswer): void {
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    403,
    'text/html; charset=utf-8',
    'no-store',
  ]);
  expect(text).toContain('This form has expired');
  expect(text).toContain('Nothing was changed.');
}

const madeBy = async (visitor: Visitor): Promise<boolean> =>
  (await visitor.get(HOME)).text.includes('>Made<');

describe('a form for signed-in users', () => {
  const posts: [path: string, fields: Record<string, string>][] = [
    [HOME, TOKEN],
    [`${HOME}/1/revoke`, {}],
    ['/settings/password', { current: PASSWORD, password: 'a new password', repeated: 'a new password' }],
    ['/logout', {}],
  ];

  it.each(posts)('is rejected without its CSRF token: %s', async (path, fields) => {
    const { visitor } = await signedIn(api);
    expectExpired(await visitor.post(path, fields));
    expectExpired(await visitor.post(path, { ...fields, form_token: '' }));
    expectExpired(await visitor.send('POST', path));
    expect((await visitor.get(HOME)).status).toBe(200);
  });

  it.each(posts)('is rejected with a wrong CSRF token: %s', async (path, fields) => {
    const { visitor } = await signedIn(api);
    const token = await tokenOf(visitor);
    const wrong = [`${token}x`, token.slice(1), (token.startsWith('A') ? 'B' : 'A') + token.slice(1), 'ä'];
    for (const form_token of wrong) {
      expectExpired(await visitor.post(path, { ...fields, form_token }));
    }
  });

  it.each(posts)('is rejected with the CSRF token of another session: %s', async (path, fields) => {
    const { visitor, person } = await signedIn(api);
    const { visitor: same } = await signedIn(api, person);
    const { visitor: other } = await signedIn(api);
    const stranger = new Visitor(api);
    for (const form_token of [await tokenOf(same), await tokenOf(other), await tokenOf(stranger, '/login')]) {
      expectExpired(await visitor.post(path, { ...fields, form_token }));
    }
  });

  it('is rejected in a tab that was opened before a new sign-in, with an explanation', async () => {
    const { visitor, person } = await signedIn(api);
    const old = await tokenOf(visitor);
    await visitor.submit(HOME, {}, '/logout');
    await visitor.signIn(person);
    const answer = await visitor.post(HOME, { ...TOKEN, form_token: old });
    expectExpired(answer);
    expect(answer.text).toContain('You signed in or out');
    expect(await madeBy(visitor)).toBe(false);
  });

  it('is accepted from two tabs', async () => {
    const { visitor } = await signedIn(api);
    const [one, other] = [await tokenOf(visitor), await tokenOf(visitor)];
    expect((await visitor.post(HOME, { ...TOKEN, form_token: one })).status).toBe(201);
    expect((await visitor.post(HOME, { ...TOKEN, form_token: other })).status).toBe(201);
    expect((await visitor.post(HOME, { ...TOKEN, form_token: one })).status).toBe(201);
  });

  it('redirects to the sign-in page without a change if the session has ended', async () => {
    const passwords = { current: PASSWORD, password: 'a new password', repeated: 'a new password' };
    const { status, location } = await new Visitor(api).post('/settings/password', passwords);
    expect([status, location]).toEqual([303, '/login?next=%2Fsettings%2Fpassword']);
  });
});

describe('the sign-in form', () => {
  const fields = async () => ({ email: (await signer(api)).email, password: PASSWORD });

  it('is rejected without its token, with a wrong one, and with the token of another browser', async () => {
    const [visitor, other] = [new Visitor(api), new Visitor(api)];
    const token = await tokenOf(visitor, '/login');
    for (const form_token of ['', `${token}x`, await tokenOf(other, '/login')]) {
      expectExpired(await visitor.post('/login', { ...(await fields()), form_token }));
    }
    expect((await visitor.post('/login', { ...(await fields()), form_token: token })).status).toBe(303);
  });

  it('is rejected without the cookie to which its token belongs', async () => {
    const visitor = new Visitor(api);
    const token = await tokenOf(visitor, '/login');
    visitor.cookies.clear();
    expectExpired(await visitor.post('/login', { ...(await fields()), form_token: token }));
  });

  it('is accepted from two tabs', async () => {
    const visitor = new Visitor(api);
    const [one, other] = [await tokenOf(visitor, '/login'), await tokenOf(visitor, '/login')];
    const sent = await fields();
    expect((await visitor.post('/login', { ...sent, form_token: one })).status).toBe(303);
    expect((await visitor.post('/login', { ...sent, form_token: other })).status).toBe(303);
  });
});

describe('the origin check of forms', () => {
  const cases: [headers: Record<string, string>, isTaken: boolean][] = [
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://ab.example.com' }, false],
    [{ origin: 'https://ab.example.com' }, true],
    [{ origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }, true],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'http://ab.example.com' }, false],
    [{ origin: 'https://ab.example.com.evil.example' }, false],
    [{ origin: 'https://ab.example.com:3001' }, false],
    [{ origin: 'http://127.0.0.1:3001', host: '127.0.0.1:3000' }, false],
    [{ origin: 'https://other.example', host: 'other.example', 'x-forwarded-proto': 'https' }, true],
    [{ origin: 'https://other.example', host: 'other.example' }, false],
    [{ origin: 'https://other.example:8443', host: 'other.example', 'x-forwarded-proto': 'https' }, false],
    [{ origin: 'null' }, false],
    [{ referer: 'https://ab.example.com/login' }, true],
    [{ referer: 'https://evil.example/login' }, false],
    [{ referer: 'nonsense' }, false],
    [{}, false],
  ];
  const sentBy = (visitor: Visitor, path: string, fields: Record<string, string>, headers: object) =>
    visitor.send('POST', path, new URLSearchParams(fields).toString(), { ...FORM_TYPE, ...headers });

  it.each(cases)('with the headers %j, a form is accepted: %s', async (headers, isTaken) => {
    const { visitor, person } = await signedIn(api);
    const form_token = await tokenOf(visitor);
    const answer = await sentBy(visitor, HOME, { ...TOKEN, form_token }, headers);
    expect(answer.status).toBe(isTaken ? 201 : 403);
    expect(await madeBy(visitor)).toBe(isTaken);
    const anybody = new Visitor(api);
    const login = { email: person.email, password: PASSWORD, form_token: await tokenOf(anybody, '/login') };
    expect((await sentBy(anybody, '/login', login, headers)).status).toBe(isTaken ? 303 : 403);
  });

  const FOREIGN = [{}, { origin: 'https://ab.example.com:3001' }, { 'sec-fetch-site': 'same-site' }];

  it('covers every route outside the API', async () => {
    const routes = controllerRoutesOf(api.app).filter((route) => /^(?!GET )\w+ \/(?!api\/)/.test(route));
    expect(routes.length).toBeGreaterThanOrEqual(7);
    for (const route of routes) {
      const [method, path] = route.replace(/:\w+/g, '1').split(' ');
      const { visitor } = await signedIn(api);
      const isSignIn = /^\/(?:login|invitation\/)/.test(path);
      const sender = isSignIn ? new Visitor(api) : visitor;
      const form_token = await tokenOf(sender, isSignIn ? '/login' : HOME);
      for (const headers of FOREIGN) {
        expect([
          route,
          method,
          (await sentBy(sender, path, { ...TOKEN, form_token }, headers)).status,
        ]).toEqual([route, 'POST', 403]);
      }
      expect([route, (await sender.post(path, TOKEN)).status]).toEqual([route, 403]);
      expect([route, (await sender.post(path, { ...TOKEN, form_token })).status]).not.toEqual([route, 403]);
    }
  });
});

describe('the form encoding', () => {
  it.each([
    ['application/json', '{"name":"Made","permission":"read"}', 415],
    ['text/plain', 'name=Made&permission=read', 415],
    ['multipart/form-data; boundary=x', '--x--', 415],
    ['application/x-www-form-urlencoded', `name=${'x'.repeat(70_000)}`, 413],
  ])('is required by pages, which reject %s', async (type, body, expected) => {
    const { visitor } = await signedIn(api);
    for (const path of [HOME, '/login', '/logout']) {
      const { status, headers, text } = await visitor.send('POST', path, body, { 'content-type': type });
      expect([path, status, headers['content-type']]).toEqual([path, expected, 'text/html; charset=utf-8']);
      expect(text).toContain('Nothing was changed.');
    }
  });

  it('is rejected by the API', async () => {
    const { client } = await api.person();
    const type = FORM_TYPE;
    expect((await client.post('/projects/1/goals', 'name=Goal', type)).status).toBe(404);
    const world = await api.world();
    const answer = await world.people.admin.client.post(`${world.project}/goals`, 'name=Goal', type);
    expect(answer.status).toBe(415);
  });

  it('supports fields named like object properties', async () => {
    const { visitor } = await signedIn(api);
    const fields = { ...TOKEN, ['__proto__x']: '1', constructor: 'x', toString: 'y', hasOwnProperty: 'z' };
    expect((await visitor.submit(HOME, fields)).status).toBe(201);
    const raw = `__proto__=x&form_token=${await tokenOf(visitor)}&name=A&permission=constructor`;
    const headers = { ...FORM_TYPE, origin: 'https://ab.example.com' };
    expect((await visitor.send('POST', HOME, raw, headers)).status).toBe(422);
  });
});
