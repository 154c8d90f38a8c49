/** @jest-environment node */
import { TrashCollector } from '../../src/projects/trash/trash-collector';
import * as argon2 from '@node-rs/argon2';
import { UsersService } from '../../src/users/users.service';
import { Person, TestApi } from '../support/api';
import {
  auditOf,
  NEW_TOKEN,
  nextAddress,
  PASSWORD,
  signedIn,
  signer,
  TOKENS_PAGE,
  Visitor,
} from '../support/visitor';

/* Sign-in and sign-out. */

jest.mock('@node-rs/argon2', () => {
  const actual = jest.requireActual<typeof argon2>('@node-rs/argon2');
  return { ...actual, verify: jest.fn(actual.verify) };
});

let api: TestApi;
let person: Person;
beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
  person = await signer(api);
});
afterAll(() => api.close());

const visitor = (): Visitor => new Visitor(api, { 'x-forwarded-for': nextAddress() });

describe('the sign-in page', () => {
  it('accepts e-mail address and password, and redirects to the experiments', async () => {
    const browser = visitor();
    const form = await browser.get('/login');
    expect([form.status, form.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(form.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': expect.stringContaining('noindex'),
      'referrer-policy': 'same-origin',
    });
    const answer = await browser.signIn(person);
    expect([answer.status, answer.location, answer.headers['cache-control']]).toEqual([303, '/', 'no-store']);
    const page = await browser.get('/');
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(page.text).toContain(person.email);
  });

  it('runs one script, whose nonce changes with each page', async () => {
    const nonces = new Set<string>();
    for (const { headers, text } of [await visitor().get('/login'), await visitor().get('/login')]) {
      const [, nonce = ''] = /<script src="\/assets\/pages\.js" nonce="([^"]+)" defer>/.exec(text) ?? [];
      nonces.add(nonce);
      const policy = headers['content-security-policy'];
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; form-action 'self';/,
      );
      expect(policy?.endsWith(`; script-src 'nonce-${nonce}'`)).toBe(true);
      expect(policy).not.toContain('unsafe');
    }
    expect([...nonces].map((nonce) => Buffer.from(nonce, 'base64').length)).toEqual([16, 16]);
    const { status, headers, text } = await visitor().get('/assets/pages.js');
    expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(text).toContain('data-copies');
  });

  it('names everyone who creates accounts', async () => {
    expect((await visitor().get('/login')).text).toMatch(
      /A team admin or a server administrator creates accounts; a server administrator resets forgotten\s+passwords\./,
    );
  });

  it('has a favicon from this server and a skip link', async () => {
    const { text } = await visitor().get('/login');
    expect(text).toContain('<link rel="icon" type="image/svg+xml" href="/assets/favicon.svg"/>');
    expect(text).toMatch(/<body><a class="skip-link" href="#content">[^]*<main [^>]*id="content"/);
    const icon = await visitor().get('/assets/favicon.svg');
    expect([icon.status, icon.headers['content-type'], icon.headers['cache-control']]).toEqual([
      200,
      'image/svg+xml',
      'public, max-age=604800',
    ]);
  });

  it('accepts the e-mail address in any case and with surrounding spaces', async () => {
    const answer = await visitor().signIn({ email: ` ${person.email.toUpperCase()} ` });
    expect(answer.status).toBe(303);
  });

  it('is skipped for signed-in users', async () => {
    const { visitor: browser } = await signedIn(api, person);
    expect((await browser.get('/login')).location).toBe('/');
    expect((await browser.get('/login?next=/settings/password')).location).toBe('/settings/password');
    expect((await browser.get('/login?next=//evil.example')).location).toBe('/');
  });

  it('reports missing fields, and keeps the e-mail address', async () => {
    const { status, text } = await visitor().submit('/login', { email: person.email, password: '' });
    expect(status).toBe(422);
    expect(text).toContain('<title>Error: Sign in');
    expect(text).toMatch(/name="password"[^>]*aria-invalid="true" aria-describedby="password-error"/);
    expect(text).toMatch(/id="password-error">Enter your password\.</);
    expect(text).toContain(`value="${person.email}"`);
    expect(text).not.toContain('id="email-error"');
    expect((await visitor().submit('/login', { email: ' ', password: PASSWORD })).text).toMatch(
      /id="email-error">Enter your e-mail address\.</,
    );
  });

  it('escapes the input, and never shows the password', async () => {
    const { status, text } = await visitor().submit('/login', {
      email: '"><script>alert(1)</script>@x',
      password: 'my secret words',
    });
    expect(status).toBe(422);
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('my secret words');
  });

  it('opens in place of the start page if the user is not signed in', async () => {
    expect((await visitor().get('/')).location).toBe('/login?next=%2F');
  });
});

describe('the redirect after signing in', () => {
  it('leads to the page that was requested first', async () => {
    const browser = visitor();
    const { status, location } = await browser.get('/settings/password?notice=changed');
    expect([status, location]).toEqual([303, '/login?next=%2Fsettings%2Fpassword%3Fnotice%3Dchanged']);
    const answer = await browser.submit(location!, { email: person.email, password: PASSWORD });
    expect(answer.location).toBe('/settings/password?notice=changed');
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/login?next=//evil.example',
  ])('never leads to another server: %s', async (next) => {
    const answer = await visitor().submit(`/login?next=${encodeURIComponent(next)}`, {
      email: person.email,
      password: PASSWORD,
    });
    expect([answer.status, answer.location]).toEqual([303, '/']);
    const sent = await visitor().submit('/login', { email: person.email, password: PASSWORD, next });
    expect([sent.status, sent.location]).toEqual([303, '/']);
  });

  it('begins with the path of the public URL', async () => {
    const below = await TestApi.start({ PUBLIC_URL: 'https://example.com/ab' });
    const browser = new Visitor(below);
    expect((await browser.get('/settings/password')).location).toBe('/ab/login?next=%2Fsettings%2Fpassword');
    const { text } = await browser.get('/login');
    expect(text).toContain('action="/ab/login"');
    expect(text).toContain('src="/ab/assets/pages.js"');
    expect((await browser.signIn(await signer(below))).location).toBe('/ab/');
    await below.close();
  });
});

/** Removes the parts of a page that differ every time. */
const withoutSecrets = (text: string, email: string): string =>
  text.replaceAll(email, 'EMAIL').replace(/nonce="[^"]+"|name="form_token" value="[^"]+"/g, '');

describe('a rejected sign-in', () => {
  const users = () => api.app.get(UsersService, { strict: false });
  let usual: string;
  beforeAll(async () => {
    const { text } = await visitor().signIn({ email: 'first@example.com' });
    usual = withoutSecrets(text, 'first@example.com');
  });

  const nobodies: [who: string, make: () => Promise<{ email: string; password: string }>][] = [
    ['a wrong password', async () => ({ email: person.email, password: 'wrong horse battery' })],
    ['an unknown e-mail address', async () => ({ email: 'nobody@example.com', password: PASSWORD })],
    ['an invalid e-mail address', async () => ({ email: 'nobody', password: PASSWORD })],
    ['a user without password', async () => ({ email: (await api.person()).email, password: PASSWORD })],
    [
      'a disabled user',
      async () => {
        const { id, email } = await signer(api);
        await users().disable(id, 'admin');
        return { email, password: PASSWORD };
      },
    ],
  ];

  it.each(nobodies)('has the same response and the same hashing cost as any other: %s', async (_, make) => {
    const fields = await make();
    const verify = jest.mocked(argon2.verify);
    verify.mockClear();
    const browser = visitor();
    const { status, text, setCookies } = await browser.submit('/login', fields);
    expect([status, setCookies]).toEqual([422, []]);
    expect(text).toMatch(/id="password-error">The e-mail address or password is wrong\.</);
    expect(withoutSecrets(text, fields.email)).toBe(usual);
    expect(verify.mock.calls.map(([hash]) => String(hash).split('$').slice(0, 4))).toEqual([
      ['', 'argon2id', 'v=19', 'm=19456,t=2,p=1'],
    ]);
    expect((await browser.get('/settings/api-tokens')).status).toBe(303);
  });
});

describe('signing out', () => {
  it('ends the session, even for clients that keep the cookie', async () => {
    const { visitor: browser } = await signedIn(api);
    const kept = [...browser.cookies];
    const answer = await browser.submit('/settings/api-tokens', {}, '/logout');
    expect([answer.status, answer.location]).toEqual([303, '/login?notice=signed-out']);
    expect(answer.setCookies).toEqual([
      expect.stringMatching(/^__Host-gosset=; Max-Age=0; Path=\/; HttpOnly/),
    ]);
    expect((await browser.get(answer.location!)).text).toContain('You have been signed out.');
    kept.forEach(([name, value]) => browser.cookies.set(name, value));
    expect((await browser.get('/settings/api-tokens')).status).toBe(303);
  });

  it('redirects to the sign-in page if the session has already ended', async () => {
    const answer = await visitor().post('/logout', {});
    expect([answer.status, answer.location]).toEqual([303, '/login']);
  });
});

describe('the audit log', () => {
  it('records sign-ins, sign-outs and failed sign-ins, without any password', async () => {
    const user = await signer(api);
    await visitor().signIn(user, 'a wrong password');
    const { visitor: browser } = await signedIn(api, user);
    await browser.submit('/settings/api-tokens', {}, '/logout');
    const entries = (await auditOf(api, user.id)).filter(({ source }) => source === 'page');
    expect(entries).toEqual([
      { source: 'page', action: 'sign-in-failed', item: 'user', user: null, text: expect.any(String) },
      { source: 'page', action: 'sign-in', item: 'user', user: user.id, text: '[null,null]' },
      { source: 'page', action: 'sign-out', item: 'user', user: user.id, text: '[null,null]' },
    ]);
    expect(entries[0].text).toContain(user.email);
    expect(JSON.stringify(await auditOf(api, user.id))).not.toMatch(/a wrong password|correct horse/);
  });

  it('contains the request id of each change on a page, even if requests overlap', async () => {
    const user = await signer(api);
    const ids = ['first', 'second', 'third'];
    await Promise.all(
      ids.map(async (id) => {
        const browser = new Visitor(api, { 'x-forwarded-for': nextAddress(), 'x-request-id': id });
        await browser.signIn(user, 'a wrong password');
        await browser.signIn(user);
        await browser.submit(TOKENS_PAGE, { ...NEW_TOKEN, name: id });
        await browser.submit(TOKENS_PAGE, {}, '/logout');
      }),
    );
    const rows: { request_id: string | null; action: string }[] = await api.database.read.query(
      `SELECT request_id, action FROM audit_entries WHERE source = 'page'
        AND (user_id = ? OR (item_type = 'user' AND item_id = ?)) ORDER BY id`,
      [user.id, user.id],
    );
    expect(rows).toHaveLength(12);
    for (const id of ids) {
      const actions = rows.filter(({ request_id }) => request_id === id).map(({ action }) => action);
      expect(actions).toEqual(['sign-in-failed', 'sign-in', 'create', 'sign-out']);
    }
  });

  it('deletes the e-mail address of a failed sign-in after 30 days, and keeps the entry', async () => {
    const user = await signer(api);
    const emails = ['old@example.com', `${'x'.repeat(400)}@example.com`, 'new@example.com'];
    for (const email of [...emails, user.email]) {
      await visitor().submit('/login', { email, password: 'a wrong password' });
    }
    const select =
      "SELECT id, item_id, `after` FROM audit_entries WHERE action = 'sign-in-failed' ORDER BY id DESC LIMIT 4";
    type Entry = { id: number; item_id: number; after: string };
    const before: Entry[] = (await api.database.read.query<Entry[]>(select)).reverse();
    const month = 30 * 86_400_000_000;
    const age = 'UPDATE audit_entries SET at = at - ? WHERE id IN (?, ?, ?)';
    const [first, cut, fresh, known] = before.map(({ id }) => id);
    await api.database.transaction((tx) => tx.query(age, [month, first, cut, known]));
    await api.database.transaction((tx) =>
      tx.query('UPDATE audit_entries SET at = at - ? WHERE id = ?', [month - 3_600_000_000, fresh]),
    );
    await api.app.get(TrashCollector, { strict: false })['collect']();
    const after: Entry[] = (await api.database.read.query<Entry[]>(select)).reverse();
    expect(after.map(({ id, item_id, after: text }) => [id, item_id, JSON.parse(text)])).toEqual([
      [first, 0, { email: null }],
      [cut, 0, { email: null }],
      [fresh, 0, { email: 'new@example.com' }],
      [known, user.id, { email: null }],
    ]);
    expect((await auditOf(api, user.id)).map(({ source }) => source)).toContain('page');
  });

  it('deletes any number of e-mail addresses in one run', async () => {
    const rows = Array.from(
      { length: 1_200 },
      (_, index) => `(1, 'page', 'sign-in-failed', 'user', 0, '{"email":"${index}@example.com"}')`,
    );
    const sql = `INSERT INTO audit_entries (at, source, action, item_type, item_id, \`after\`) VALUES ${rows.join(', ')}`;
    await api.database.transaction((tx) => tx.query(sql));
    await api.app.get(TrashCollector, { strict: false })['collect']();
    const [{ count }]: { count: number | string }[] = await api.database.read.query(
      "SELECT COUNT(*) AS count FROM audit_entries WHERE at = 1 AND `after` LIKE '%@%'",
    );
    expect(Number(count)).toBe(0);
  });

  it('does not store passwords that were typed into the e-mail field', async () => {
    await visitor().submit('/login', { email: PASSWORD, password: PASSWORD });
    await visitor().submit('/login', { email: `${'x'.repeat(400)}@example.com`, password: PASSWORD });
    const rows: { after: string }[] = await api.database.read.query(
      "SELECT `after` FROM audit_entries WHERE action = 'sign-in-failed' ORDER BY id DESC LIMIT 2",
    );
    expect(rows.map(({ after }) => JSON.parse(after) as object)).toEqual([
      { email: 'x'.repeat(255) },
      { email: null },
    ]);
  });
});
