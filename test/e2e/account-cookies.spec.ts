import { TestApi } from '../support/api';
import { routesOf } from '../support/routes';
import { hiddenFields, PASSWORD, signedIn, signer, Visitor } from '../support/visitor';

/*
 * Cookie tossing: cookies do not depend on the port, so other pages on the same host can set cookies with the names of
 * the console's cookies.
 */

const HOME = '/settings/api-tokens';
const LONGER_PATHS = ['/settings', '/settings/', '/settings/api-tokens', '/settings/api-tokens/'];

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start({ PUBLIC_URL: 'http://ab.example.com', TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => api.close());

const secretOf = (visitor: Visitor): string => visitor.cookies.get('gosset') ?? '';
const cookie = (...secrets: string[]) => ({ cookie: secrets.map((secret) => `gosset=${secret}`).join('; ') });

/** The paths for which a response deletes this cookie. */
const removed = (setCookies: readonly string[], name: string): string[] =>
  setCookies.flatMap((text) => new RegExp(`^${name}=; Max-Age=0; Path=([^;]+)`).exec(text)?.[1] ?? []);

it('an invalid planted cookie before or after the valid one is ignored and removed', async () => {
  const { visitor, person } = await signedIn(api);
  const own = secretOf(visitor);
  for (const secrets of [
    ['A'.repeat(43), own],
    [own, 'A'.repeat(43)],
    ['A'.repeat(43), own, 'B'.repeat(43)],
  ]) {
    const { status, text, setCookies } = await visitor.get(HOME, cookie(...secrets));
    expect([status, text.includes(person.email)]).toEqual([200, true]);
    expect(removed(setCookies, 'gosset')).toEqual(LONGER_PATHS);
  }
  expect((await visitor.get(HOME, cookie('no secret', own))).status).toBe(200);
});

it("neither of two valid sessions is accepted, and the user's session is restored once the planted cookie is removed", async () => {
  const [{ visitor, person }, { visitor: attacker }] = [await signedIn(api), await signedIn(api)];
  for (const secrets of [
    [secretOf(attacker), secretOf(visitor)],
    [secretOf(visitor), secretOf(attacker)],
  ]) {
    const { status, location, setCookies } = await visitor.get(HOME, cookie(...secrets));
    expect([status, location]).toEqual([303, '/login?next=%2Fsettings%2Fapi-tokens']);
    expect(removed(setCookies, 'gosset')).toEqual(LONGER_PATHS);
  }
  // The browser sends the planted cookie only below the cookie's path.
  const login = await visitor.get('/login?next=%2Fsettings%2Fapi-tokens');
  expect([login.status, login.location]).toEqual([303, HOME]);
  expect((await visitor.get(HOME)).text).toContain(person.email);
});

it.each(['/invitation/a;b', '/settings;x/y', '/settings/<b'])(
  'two cookies with one name on %s cause no error, although no cookie can have this path',
  async (path) => {
    const secrets = cookie('A'.repeat(43), 'B'.repeat(43));
    const { status } = await new Visitor(api).get(path, { ...secrets, accept: 'text/html' });
    expect(status).toBe(404);
  },
);

const DEEPEST = '/projects/1/experiments/2/variations/3/edit';

it('a planted cookie is removed on the page with the deepest path', async () => {
  const [{ visitor }, { visitor: attacker }] = [await signedIn(api), await signedIn(api)];
  const { setCookies } = await visitor.get(DEEPEST, cookie(secretOf(attacker), secretOf(visitor)));
  expect(removed(setCookies, 'gosset')).toEqual(
    expect.arrayContaining(['/projects', DEEPEST, `${DEEPEST}/`]),
  );
});

it('a planted cookie is removed on the deepest page if the server runs below a path prefix', async () => {
  const below = await TestApi.start({ PUBLIC_URL: 'http://ab.example.com/tools/ab' });
  const secrets = ['A', 'B'].map((letter) => letter.repeat(43));
  const { setCookies } = await new Visitor(below).get(DEEPEST, cookie(...secrets));
  await below.close();
  expect(removed(setCookies, 'gosset')).toEqual(expect.arrayContaining(['/tools', `/tools/ab${DEEPEST}/`]));
});

it('no page has a deeper path than the one in these tests', () => {
  const pages = routesOf(api.app).flatMap((route) => /^GET (?!\/api\/)(.+)$/.exec(route)?.[1] ?? []);
  const depth = (path: string): number => path.split('/').filter((part) => part !== '').length;
  expect(Math.max(...pages.map(depth))).toBe(depth(DEEPEST));
});

it('the server redirects once before it treats the user as signed out', async () => {
  const [{ visitor }, { visitor: attacker }] = [await signedIn(api), await signedIn(api)];
  const both = cookie(secretOf(attacker), secretOf(visitor));
  const first = await visitor.get('/login?next=%2Fsettings%2Fpassword', both);
  expect([first.status, first.location]).toEqual([303, '/login?retried=yes&next=%2Fsettings%2Fpassword']);
  expect(removed(first.setCookies, 'gosset')).toEqual(['/login', '/login/']);
  const cleared = await visitor.get(first.location ?? '');
  expect([cleared.status, cleared.location]).toEqual([303, '/settings/password']);
  expect((await visitor.get(first.location ?? '', both)).status).toBe(200);
});

it('no form is accepted with a planted session', async () => {
  const [{ visitor }, { visitor: attacker, person }] = [await signedIn(api), await signedIn(api)];
  const { form_token } = hiddenFields((await attacker.get(HOME)).text);
  const both = cookie(secretOf(attacker), secretOf(visitor));
  const form = { name: 'Made', permission: 'write', form_token };
  // The response is the same as without a session: the input is kept until the user signs in again.
  const { status, text } = await visitor.post(HOME, form, both);
  expect([status, text]).toEqual([403, expect.stringContaining('Your session has ended')]);
  expect((await attacker.get(HOME)).text).not.toContain('>Made<');
  expect((await attacker.get(HOME)).text).toContain(person.email);
});

it('the server looks up only a few cookies', async () => {
  const { visitor } = await signedIn(api);
  const planted = ['A', 'B', 'C', 'D'].map((letter) => letter.repeat(43));
  expect((await visitor.get(HOME, cookie(secretOf(visitor), ...planted.slice(1)))).status).toBe(200);
  expect((await visitor.get(HOME, cookie(secretOf(visitor), ...planted))).status).toBe(303);
});

it('a sign-in form is accepted only with exactly one form cookie', async () => {
  const person = await signer(api);
  const attacker = new Visitor(api);
  const { form_token } = hiddenFields((await attacker.get('/login')).text);
  const known = attacker.cookies.get('gosset-form') ?? '';
  const visitor = new Visitor(api);
  await visitor.get('/login');
  const both = { cookie: `gosset-form=${known}; gosset-form=${visitor.cookies.get('gosset-form') ?? ''}` };
  const fields = { email: person.email, password: PASSWORD, form_token };
  expect((await visitor.post('/login', fields, both)).status).toBe(403);
  const { setCookies } = await visitor.get('/login', both);
  expect(removed(setCookies, 'gosset-form')).toEqual(['/login', '/login/']);
  expect((await visitor.signIn(person)).status).toBe(303);
});

it('a user can sign in despite planted cookies, and gets a new secret', async () => {
  const { visitor: attacker } = await signedIn(api);
  const person = await signer(api);
  const visitor = new Visitor(api);
  const { text } = await visitor.get('/login');
  visitor.cookies.set('gosset', secretOf(attacker));
  await visitor.post('/login', { ...hiddenFields(text), email: person.email, password: PASSWORD });
  expect(secretOf(visitor)).not.toBe(secretOf(attacker));
  expect((await visitor.get(HOME)).text).toContain(person.email);
});
