import { parseHTML } from 'linkedom';
import { Person, TestApi } from '../support/api';
import { astral } from '../support/scene';
import { auditOf, hiddenFields, signedIn, Visitor } from '../support/visitor';
import { eventually } from '../support/waiting';

/* The page for API tokens. */

const HOME = '/settings/api-tokens';

let api: TestApi;
let visitor: Visitor;
let person: Person;
beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => api.close());
beforeEach(async () => {
  ({ visitor, person } = await signedIn(api));
});

const create = (name: string, permission = 'read') => visitor.submit(HOME, { name, permission });

const shown = (text: string): string => /<input[^>]* id="new-token" value="([^"]*)"/.exec(text)?.[1] ?? '';

/** The rows of the token list as text. */
function rowsOf(text: string): string[] {
  const body = /<tbody[^>]*>([^]*?)<\/tbody>/.exec(text)?.[1] ?? '';
  return body
    .split('</tr>')
    .filter((row) => row !== '')
    .map((row) =>
      row
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    );
}

async function made(name: string, permission = 'read'): Promise<{ id: number; token: string }> {
  const { text } = await create(name, permission);
  const ids = [...text.matchAll(/api-tokens\/(\d+)\/revoke"/g)].map(([, id]) => Number(id));
  return { id: Math.max(...ids), token: shown(text) };
}

describe('creating a token', () => {
  it('shows the token exactly once, and does not store it', async () => {
    const { status, text, headers } = await create('Dashboard');
    expect([status, headers['cache-control']]).toEqual([201, 'no-store']);
    const token = shown(text);
    expect(token).toMatch(/^gos_[0-9A-Za-z]{46}$/);
    expect(text.split(token)).toHaveLength(2);
    expect(text).toContain('The token is shown only once.');
    for (const path of [HOME, HOME, '/settings/password']) {
      expect((await visitor.get(path)).text).not.toContain(token);
    }
    expect(JSON.stringify(await auditOf(api, person.id))).not.toContain(token);
    expect((await api.as(token).get('/teams')).status).toBe(200);
  });

  it('creates tokens with exactly the chosen permissions', async () => {
    const team = await api.team();
    await api.join(team, person, 'admin');
    const project = `/projects/${await api.project(team)}`;
    const [reader, writer] = [(await made('Reader')).token, (await made('Writer', 'write')).token];
    const goal = { name: 'Goal' };
    const refusal = await api.as(reader).post(`${project}/goals`, goal);
    expect([(await api.as(reader).get(project)).status, refusal.status, refusal.body]).toEqual([
      200,
      403,
      { message: 'Missing required ability: write', code: 'ABILITY_MISSING' },
    ]);
    expect((await api.as(reader).patch(project, { name: 'Other' })).status).toBe(403);
    expect((await api.as(reader).delete(project)).status).toBe(403);
    expect((await api.as(writer).post(`${project}/goals`, goal)).status).toBe(201);
  });

  it.each([
    [{ name: '', permission: 'read' }, 'name-error', '“Name” is required.'],
    [{ name: '   ', permission: 'read' }, 'name-error', '“Name” is required.'],
    [{ name: '\u200b', permission: 'read' }, 'name-error', '“Name” must contain a visible character.'],
    [
      { name: astral(256), permission: 'read' },
      'name-error',
      '“Name” may not be longer than 255 characters.',
    ],
    [{ name: 'a\0b', permission: 'read' }, 'name-error', '“Name” may not contain NUL characters.'],
    [{ name: 'A', permission: '' }, 'permission-error', 'Choose a permission.'],
    [{ name: 'A', permission: 'admin' }, 'permission-error', 'Choose a permission.'],
    [{ name: 'A', permission: 'toString' }, 'permission-error', 'Choose a permission.'],
  ])('is rejected with messages at the fields, whose input is kept: %#', async (fields, id, message) => {
    const { status, text } = await visitor.submit(HOME, fields);
    expect([status, /<title>([^<]*)/.exec(text)?.[1]]).toEqual([422, 'Error: API tokens – Gosset']);
    expect(text).toContain(`id="${id}">${message}<`);
    expect(text).toMatch(new RegExp(`aria-describedby="${id}`));
    if (fields.name.trim() !== '' && fields.permission === 'read') {
      expect(text).toContain(`value="${fields.name.trim()}"`);
    }
    expect(rowsOf((await visitor.get(HOME)).text)).toHaveLength(1);
  });

  it('creates no second token if the form is submitted again, and explains how to create one', async () => {
    const fields = { ...hiddenFields((await visitor.get(HOME)).text), name: 'Once', permission: 'write' };
    expect((await visitor.post(HOME, fields)).status).toBe(201);
    const again = await visitor.post(HOME, { ...fields, name: ' Once ' });
    expect([again.status, shown(again.text)]).toEqual([422, '']);
    expect(again.text).toContain('Submit the form again to create another token.');
    const listed = async (): Promise<number> => rowsOf((await visitor.get(HOME)).text).length;
    expect(await listed()).toBe(2);
    expect((await visitor.post(HOME, { ...fields, name: 'Another' })).status).toBe(201);
    const resent = { ...fields, ...hiddenFields(again.text) };
    expect((await visitor.post(HOME, resent)).status).toBe(201);
    expect(await listed()).toBe(4);
    const { visitor: other } = await signedIn(api);
    expect((await other.submit(HOME, { name: 'Once', permission: 'read' })).status).toBe(201);
  });

  it('trims the name, which can be long', async () => {
    const name = astral(255);
    expect((await create(`  ${name} `)).status).toBe(201);
    expect(rowsOf((await visitor.get(HOME)).text)[1]).toContain(name);
  });
});

describe('the token list', () => {
  it("shows name, permissions, last use and creation time of the user's tokens", async () => {
    const { token } = await made('Continuous integration', 'write');
    await made('Dashboard');
    const moment = String.raw`\d{1,2} \w+ \d{4}, \d\d:\d\d UTC`;
    const row = (name: string, abilities: string, used: string): RegExp =>
      new RegExp(`^${name} ${abilities} All Never ${used} ${moment} Revoke ${name}$`);
    expect(rowsOf((await visitor.get(HOME)).text)).toEqual([
      expect.stringMatching(/^Test/),
      expect.stringMatching(row('Continuous integration', 'Read &amp; write', 'Never')),
      expect.stringMatching(row('Dashboard', 'Read only', 'Never')),
    ]);
    await api.as(token).get('/teams');
    const wasUsed = row('Continuous integration', 'Read &amp; write', moment);
    // Requests do not wait until their token's last use is stored.
    expect(await eventually(async () => wasUsed.test(rowsOf((await visitor.get(HOME)).text)[1]))).toBe(true);
  });

  it('shows hostile names as text', async () => {
    const names = [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' autofocus onfocus=alert(1) x='",
      '</title></style>{{7*7}}${7*7}',
      'abc\u202egpj.exe',
      'W'.repeat(255),
    ];
    for (const name of names) {
      await create(name);
    }
    const { text } = await visitor.get(HOME);
    expect(text).not.toContain('\u202e');
    const { document } = parseHTML(text);
    const elements = [...document.querySelectorAll('*')];
    const handlers = elements.flatMap(({ attributes }) => [...attributes].map(({ name }) => name));
    expect(handlers.filter((name) => /^on/.test(name))).toEqual([]);
    expect(document.querySelectorAll('script, img, style')).toHaveLength(1);
    const listed = [...document.querySelectorAll('tbody th')].map(({ textContent }) => textContent);
    expect(listed).toEqual(['Test', ...names.map((name) => name.replace('\u202e', ' '))]);
  });

  it('is empty without tokens', async () => {
    const { id } = /api-tokens\/(?<id>\d+)\/revoke/.exec((await visitor.get(HOME)).text)?.groups ?? {};
    await visitor.submit(`${HOME}/${id}/revoke`, {});
    const { text } = await visitor.get(HOME);
    expect(text).toContain('No tokens yet');
    expect(text).not.toContain('<table');
    expect(text).not.toContain('<dialog');
  });
});

describe('revoking', () => {
  it('asks for confirmation, after which the token stops working immediately', async () => {
    const { id, token } = await made('Old one');
    expect((await api.as(token).get('/teams')).status).toBe(200);
    const question = await visitor.get(`${HOME}/${id}/revoke`);
    expect(question.status).toBe(200);
    expect(question.text).toMatch(/Old one<\/bdi><\/strong> stops working immediately/);
    expect((await api.as(token).get('/teams')).status).toBe(200);
    const { status, location } = await visitor.submit(`${HOME}/${id}/revoke`, {});
    expect([status, location]).toEqual([303, `${HOME}?notice=revoked`]);
    expect((await api.as(token).get('/teams')).status).toBe(401);
    const { text } = await visitor.get(location!);
    expect(text).toContain('The token was revoked.');
    expect(text).not.toContain('Old one');
  });

  it("is possible only for the user's own tokens", async () => {
    const { visitor: other } = await signedIn(api);
    const { id, token } = await made('Mine');
    for (const answer of [
      await other.get(`${HOME}/${id}/revoke`),
      await other.submit(HOME, {}, `${HOME}/${id}/revoke`),
    ]) {
      expect([answer.status, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(answer.text).toContain('Page not found');
      expect(answer.text).not.toContain('Mine');
    }
    expect((await api.as(token).get('/teams')).status).toBe(200);
  });

  it.each(['0', '-1', '1.5', 'x', '99999999999', '%27', '1%20OR%201=1'])('is 404 for %s', async (id) => {
    expect((await visitor.get(`${HOME}/${id}/revoke`)).status).toBe(404);
    expect((await visitor.submit(HOME, {}, `${HOME}/${id}/revoke`)).status).toBe(404);
  });

  it('is 404 the second time', async () => {
    const { id } = await made('Twice');
    await visitor.submit(`${HOME}/${id}/revoke`, {});
    expect((await visitor.submit(HOME, {}, `${HOME}/${id}/revoke`)).status).toBe(404);
  });
});

it('the audit log records who created and revoked which token on the page', async () => {
  const { id } = await made('Noted', 'write');
  await visitor.submit(`${HOME}/${id}/revoke`, {});
  const entries = (await auditOf(api, person.id)).filter(({ item }) => item === 'token');
  expect(entries.map(({ source, action, user }) => [source, action, user])).toEqual([
    ['page', 'create', person.id],
    ['page', 'revoke', person.id],
  ]);
  expect(entries[0].text).toContain('Noted');
});
