import { parseHTML } from 'linkedom';
import { TestApi } from '../support/api';
import { auditOf, hiddenFields, nextAddress, signedIn, Visitor } from '../support/visitor';

/* The list of a user's sessions. */

const SESSIONS = '/settings/sessions';
const HOME = '/settings/api-tokens';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => api.close());

interface Listed {
  browser: string;
  last: string;
  since: string;
  action: string;
  /** The path that ends a session; undefined for the current session. */
  path: string | undefined;
}

async function listOf(visitor: Visitor): Promise<Listed[]> {
  const { status, text } = await visitor.get(SESSIONS);
  expect(status).toBe(200);
  return [...parseHTML(text).document.querySelectorAll('tbody tr')].map((row) => {
    const [browser, last, since, action] = [...row.children].map((cell) => cell.textContent.trim());
    return {
      browser,
      last,
      since,
      action,
      path: row.querySelector('form')?.getAttribute('action') ?? undefined,
    };
  });
}

/** Signs the same user in with another browser. */
async function second(person: { email: string }, userAgent: string): Promise<Visitor> {
  const visitor = new Visitor(api, { 'x-forwarded-for': nextAddress(), 'user-agent': userAgent });
  expect((await visitor.signIn(person)).status).toBe(303);
  return visitor;
}

const isIn = async (visitor: Visitor): Promise<boolean> => (await visitor.get(HOME)).status === 200;

it("the list shows the user's browsers with the times of sign-in and last use, and marks the current session", async () => {
  const { visitor, person } = await signedIn(api);
  await signedIn(api);
  await second(person, FIREFOX);
  const list = await listOf(visitor);
  expect(list.map(({ browser }) => browser)).toEqual(['Firefox on Linux', 'Unknown browser']);
  expect(list.map(({ action }) => action)).toEqual(['End session of Firefox on Linux', 'This browser']);
  const year = String(new Date().getUTCFullYear());
  expect(list.every(({ last, since }) => last.includes(year) && since.includes(year))).toBe(true);
});

it('the list shows no expired sessions', async () => {
  const { visitor, person } = await signedIn(api);
  await second(person, FIREFOX);
  const sql = 'UPDATE sessions SET expires_at = 1 WHERE user_id = ? AND user_agent = ?';
  await api.database.transaction((tx) => tx.query(sql, [person.id, FIREFOX]));
  expect(await listOf(visitor)).toHaveLength(1);
});

it('the list truncates and escapes user agents', async () => {
  const { visitor, person } = await signedIn(api);
  const agent = `${FIREFOX} <script>alert(1)</script>${'x'.repeat(5_000)}`;
  await second(person, agent);
  expect((await visitor.get(SESSIONS)).text).not.toContain('<script>alert');
  const rows: { user_agent: string }[] = await api.database.read.query(
    'SELECT user_agent FROM sessions WHERE user_id = ? ORDER BY id DESC LIMIT 1',
    [person.id],
  );
  expect(rows[0].user_agent).toBe(agent.slice(0, 255));
});

it('the list includes sessions that were created before user agents were stored', async () => {
  const { visitor, person } = await signedIn(api);
  const sql = 'UPDATE sessions SET user_agent = NULL WHERE user_id = ?';
  await api.database.transaction((tx) => tx.query(sql, [person.id]));
  expect((await listOf(visitor)).map(({ browser }) => browser)).toEqual(['Unknown browser']);
});

it('a user can end one session, with an audit entry', async () => {
  const { visitor, person } = await signedIn(api);
  const [ending, staying] = [await second(person, FIREFOX), await second(person, 'curl/8')];
  const path = (await listOf(visitor)).find(({ browser }) => browser === 'Firefox on Linux')?.path ?? '';
  const { status, location } = await visitor.submit(SESSIONS, {}, path);
  expect([status, location]).toEqual([303, `${SESSIONS}?notice=ended`]);
  expect((await visitor.get(location!)).text).toContain('The session was ended.');
  expect([await isIn(ending), await isIn(staying), await isIn(visitor)]).toEqual([false, true, true]);
  expect((await auditOf(api, person.id)).at(-1)).toMatchObject({ source: 'page', action: 'end-session' });
  expect((await visitor.submit(SESSIONS, {}, path)).status).toBe(404);
});

it('a user can end all sessions except the current one', async () => {
  const { visitor, person } = await signedIn(api);
  const others = [await second(person, FIREFOX), await second(person, 'curl/8')];
  const { visitor: bystander } = await signedIn(api);
  const { status, location } = await visitor.submit(SESSIONS, {}, `${SESSIONS}/end-others`);
  expect([status, location]).toEqual([303, `${SESSIONS}?notice=all-ended`]);
  expect(await Promise.all([...others, visitor, bystander].map(isIn))).toEqual([false, false, true, true]);
  expect((await auditOf(api, person.id)).at(-1)).toMatchObject({ source: 'page', action: 'end-sessions' });
});

it("a user can end neither another user's session nor the current one", async () => {
  const { visitor, person } = await signedIn(api);
  const { visitor: other, person: stranger } = await signedIn(api);
  const idOf = async (userId: number): Promise<number> => {
    const [row]: { id: number }[] = await api.database.read.query(
      'SELECT id FROM sessions WHERE user_id = ?',
      [userId],
    );
    return row.id;
  };
  for (const id of [await idOf(stranger.id), await idOf(person.id), 999_999, 0, 'x']) {
    const { status } = await visitor.submit(SESSIONS, {}, `${SESSIONS}/${id}/end`);
    expect([id, status]).toEqual([id, 404]);
  }
  expect([await isIn(visitor), await isIn(other)]).toEqual([true, true]);
});

it.each(['1/end', 'end-others'])('a sign-in required by %s leads back to the list', async (form) => {
  const { visitor } = await signedIn(api);
  const { location } = await new Visitor(api).post(`${SESSIONS}/${form}`, {});
  const next = new URLSearchParams(location?.split('?')[1]).get('next') ?? '';
  const answer = await visitor.get(next);
  expect([answer.status, answer.location]).toEqual([303, SESSIONS]);
});

it('no session is ended without the CSRF token', async () => {
  const { visitor, person } = await signedIn(api);
  const ending = await second(person, FIREFOX);
  const path = (await listOf(visitor)).find(({ path: action }) => action !== undefined)?.path ?? '';
  const { form_token } = hiddenFields((await ending.get(SESSIONS)).text);
  for (const target of [path, `${SESSIONS}/end-others`]) {
    expect((await visitor.post(target, {})).status).toBe(403);
    expect((await visitor.post(target, { form_token })).status).toBe(403);
  }
  expect(await isIn(ending)).toBe(true);
});
