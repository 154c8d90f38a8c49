import { createHash, randomBytes } from 'node:crypto';
import { TrashCollector } from '../../src/projects/trash/trash-collector';
import { Sessions } from '../../src/users/sessions';
import { UsersService } from '../../src/users/users.service';
import { TestApi } from '../support/api';
import { refusing } from '../support/refusals';
import { PASSWORD, signedIn, signer, Visitor, withPassword } from '../support/visitor';

/* Session lifetime. */

const SESSION = '__Host-gosset';
const HOME = '/settings/api-tokens';
const HOUR = 3_600_000_000;
const DAY = 24 * HOUR;

let api: TestApi;
let sessions: Sessions;
let users: UsersService;
beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
  sessions = api.app.get(Sessions, { strict: false });
  users = api.app.get(UsersService, { strict: false });
});
afterAll(() => api.close());

const newSecret = (): string => randomBytes(32).toString('base64url');

const isIn = async (visitor: Visitor): Promise<boolean> => (await visitor.get(HOME)).status === 200;

async function countOf(userId: number): Promise<number> {
  const sql = 'SELECT COUNT(*) AS count FROM sessions WHERE user_id = ?';
  const [row]: { count: number | string }[] = await api.database.read.query(sql, [userId]);
  return Number(row.count);
}

describe('the session cookie', () => {
  it.each([
    ['https://ab.example.com', '__Host-gosset', '; Secure'],
    ['http://ab.example.com', 'gosset', ''],
  ])('has a name and attributes that depend on the public URL: %s', async (publicUrl, name, secure) => {
    const server = await TestApi.start({ PUBLIC_URL: publicUrl });
    const visitor = new Visitor(server);
    const flags = `Path=/; HttpOnly${secure}; SameSite=Lax`;
    const [form] = (await visitor.get('/login')).setCookies;
    expect(form).toMatch(new RegExp(`^${name}-form=[\\w-]{43}; ${flags}$`));
    const { setCookies } = await visitor.signIn(await signer(server));
    expect(setCookies).toHaveLength(1);
    expect(setCookies[0]).toMatch(new RegExp(`^${name}=[\\w-]{43}; Max-Age=1209\\d{3}; ${flags}$`));
    await server.close();
  });

  it('is the only place where the secret is stored: the database has its hash', async () => {
    const { visitor, person } = await signedIn(api);
    const secret = visitor.cookies.get(SESSION)!;
    const rows: { secret_hash: string }[] = await api.database.read.query(
      'SELECT * FROM sessions WHERE user_id = ?',
      [person.id],
    );
    expect(rows.map(({ secret_hash }) => secret_hash)).toEqual([
      createHash('sha256').update(secret).digest('hex'),
    ]);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it.each(['', 'short', 'A'.repeat(43), `${'A'.repeat(42)}%27`, '"quoted"', 'ä'])(
    'with the value %j is not a session',
    async (value) => {
      const visitor = new Visitor(api);
      visitor.cookies.set(SESSION, value);
      expect(await isIn(visitor)).toBe(false);
    },
  );

  it('is not set without a sign-in, for any request', async () => {
    const { people, project } = await api.world();
    const { authorization, etag } = {
      authorization: `Bearer ${people.admin.token}`,
      etag: (await people.admin.client.get(project)).headers.etag as string,
    };
    const visitor = new Visitor(api);
    const answers = [
      await visitor.get('/'),
      await visitor.get('/nowhere'),
      await visitor.get('/assets/pages.js'),
      await visitor.get('/health/live'),
      await visitor.get('/api/teams'),
      await visitor.get(`/api${project}`, { authorization }),
      await visitor.get(`/api${project}`, { authorization, 'if-none-match': etag }),
    ];
    expect(answers.map(({ status, setCookies }) => [status, setCookies])).toEqual(
      [303, 404, 200, 200, 401, 200, 304].map((status) => [status, []]),
    );
    const { setCookies } = await visitor.get('/login');
    expect(setCookies).toEqual([expect.stringMatching(/^__Host-gosset-form=/)]);
  });

  it('is looked up only for pages', async () => {
    const { visitor, person } = await signedIn(api);
    const find = jest.spyOn(sessions, 'find');
    const authorization = `Bearer ${person.token}`;
    for (const path of ['/api/teams', '/health/live', '/assets/pages.js', '/share/none', '/v1/nowhere']) {
      await visitor.get(path, { authorization });
    }
    expect(find).not.toHaveBeenCalled();
    await visitor.get(HOME);
    expect(find).toHaveBeenCalledTimes(1);
    find.mockRestore();
  });

  it('does not give access to the API, and tokens do not give access to pages', async () => {
    const { visitor, person } = await signedIn(api);
    expect((await visitor.get('/api/teams')).status).toBe(401);
    const bearer = new Visitor(api, { authorization: `Bearer ${person.token}` });
    expect(await isIn(bearer)).toBe(false);
  });
});

describe('session fixation', () => {
  it('fails, because every sign-in creates a new secret', async () => {
    const person = await signer(api);
    const visitor = new Visitor(api);
    const planted = 'A'.repeat(43);
    visitor.cookies.set(SESSION, planted);
    expect((await visitor.signIn(person)).status).toBe(303);
    expect(visitor.cookies.get(SESSION)).not.toBe(planted);
    const attacker = new Visitor(api);
    attacker.cookies.set(SESSION, planted);
    expect(await isIn(attacker)).toBe(false);
  });

  it('fails even with a session of the attacker, which is ended', async () => {
    const { visitor: attacker, person: other } = await signedIn(api);
    const planted = attacker.cookies.get(SESSION)!;
    const person = await signer(api);
    const visitor = new Visitor(api);
    // Signed-in users do not see the sign-in form, but can still have it open in another tab.
    const { text } = await visitor.get('/login');
    visitor.cookies.set(SESSION, planted);
    const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const fields = { form_token: token, email: person.email, password: PASSWORD };
    expect((await visitor.post('/login', fields)).status).toBe(303);
    expect((await visitor.get(HOME)).text).toContain(person.email);
    expect([await isIn(attacker), await countOf(other.id)]).toEqual([false, 0]);
  });
});

describe('a session', () => {
  /** Creates a session at a given time, without a browser. */
  async function begun(at: number) {
    const person = await signer(api);
    const user = (await users.findByEmail(person.email))!;
    const secret = newSecret();
    await sessions.begin({ user, secret, userAgent: '' }, at);
    const find = async (when: number) => {
      const found = await sessions.find(secret, when);
      await api.usesStored();
      return found;
    };
    return { person, user, find };
  }

  async function usedADayEarlier(userId: number): Promise<void> {
    const sql = `UPDATE sessions SET last_used_at = last_used_at - ${DAY}, expires_at = expires_at - ${DAY} WHERE user_id = ?`;
    await api.database.transaction((tx) => tx.query(sql, [userId]));
  }

  const timesOf = (userId: number): Promise<Record<'last_used_at' | 'expires_at', number | string>[]> =>
    api.database.read.query('SELECT last_used_at, expires_at FROM sessions WHERE user_id = ?', [userId]);

  const START = 1_800_000_000_000_000;

  it('ends after 14 days without use', async () => {
    const { find } = await begun(START);
    expect(await find(START + 14 * DAY)).toBeNull();
    expect(await find(START + 14 * DAY - 1)).toMatchObject({
      isExtended: true,
      expiresAt: START + 28 * DAY - 1,
    });
    expect(await find(START + 28 * DAY - 2)).not.toBeNull();
  });

  it('ends after 90 days in any case', async () => {
    const { find } = await begun(START);
    for (let day = 10; day < 90; day += 10) {
      expect(await find(START + day * DAY)).not.toBeNull();
    }
    expect(await find(START + 90 * DAY - 1)).toMatchObject({ expiresAt: START + 90 * DAY });
    expect(await find(START + 90 * DAY)).toBeNull();
  });

  it('records its last use at most once an hour', async () => {
    const { find } = await begun(START);
    const write = jest.spyOn(api.database, 'transaction');
    expect(await find(START + HOUR - 1)).toMatchObject({ isExtended: false, expiresAt: START + 14 * DAY });
    expect(write).not.toHaveBeenCalled();
    expect(await find(START + HOUR)).toMatchObject({ isExtended: true });
    expect(await find(START + HOUR + 1)).toMatchObject({ isExtended: false });
    expect(write).toHaveBeenCalledTimes(1);
    write.mockRestore();
  });

  it.each([HOME, '/login'])('renews the cookie when it is extended: %s', async (path) => {
    const { visitor, person } = await signedIn(api);
    expect((await visitor.get(path)).setCookies).toEqual([]);
    await usedADayEarlier(person.id);
    const { setCookies } = await visitor.get(path);
    expect(setCookies).toEqual([expect.stringMatching(/^__Host-gosset=[\w-]{43}; Max-Age=1209\d{3};/)]);
    await api.usesStored();
    expect((await visitor.get(HOME)).setCookies).toEqual([]);
  });

  it('opens pages while nothing can be written, and is extended later', async () => {
    const { visitor, person } = await signedIn(api);
    await usedADayEarlier(person.id);
    const before = await timesOf(person.id);
    await refusing(api, 'UPDATE', 'sessions', async () => {
      expect(await isIn(visitor)).toBe(true);
      await api.usesStored();
    });
    expect(await timesOf(person.id)).toEqual(before);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    expect(await isIn(visitor)).toBe(true);
    await api.usesStored();
    const [{ last_used_at: usedAt, expires_at: expiresAt }] = await timesOf(person.id);
    expect(Number(usedAt)).toBeGreaterThan(Number(before[0].last_used_at));
    expect(Number(expiresAt) - Number(usedAt)).toBe(14 * DAY);
  });

  it('opens pages while another process holds the lock, and stores its use before the server stops', async () => {
    const { visitor: browser, person } = await signedIn(api);
    await usedADayEarlier(person.id);
    const server = await api.sibling();
    const visitor = new Visitor(server);
    visitor.cookies.set(SESSION, browser.cookies.get(SESSION)!);
    const before = await timesOf(person.id);
    let closing: Promise<void> = Promise.resolve();
    await api.database.transaction(async (tx) => {
      await tx.query('UPDATE sessions SET user_agent = ? WHERE user_id = ?', [
        'of another process',
        person.id,
      ]);
      expect(await isIn(visitor)).toBe(true);
      closing = server.close();
    });
    await closing;
    const [{ last_used_at: usedAt }] = await timesOf(person.id);
    expect(Number(usedAt)).toBeGreaterThan(Number(before[0].last_used_at));
  });

  it('is deleted some time after it has ended', async () => {
    const past = await begun(START - 1000 * DAY);
    const present = await signedIn(api);
    expect(await countOf(past.person.id)).toBe(1);
    await api.app.get(TrashCollector, { strict: false })['collect']();
    expect([await countOf(past.person.id), await countOf(present.person.id)]).toEqual([0, 1]);
  });

  it('does not begin if the password changes or the user is disabled during verification', async () => {
    const { person, user } = await begun(START);
    await withPassword(api, person, 'a new password');
    expect(await sessions.begin({ user, secret: newSecret(), userAgent: '' })).toBeNull();
    const changed = (await users.findByEmail(person.email))!;
    await users.disable(person.id, 'admin');
    expect(await sessions.begin({ user: changed, secret: newSecret(), userAgent: '' })).toBeNull();
    expect(await countOf(person.id)).toBe(0);
  });
});

describe('a failed session lookup', () => {
  const failing = async (error: Error) => {
    const { visitor } = await signedIn(api);
    const find = jest.spyOn(sessions, 'find').mockRejectedValueOnce(error);
    const answer = await visitor.get(HOME);
    find.mockRestore();
    return answer;
  };

  it('is reported on a page, without its cause', async () => {
    const { status, headers, text } = await failing(new Error('some cause'));
    expect([status, headers['content-type']]).toEqual([500, 'text/html; charset=utf-8']);
    expect(text).toContain('Something went wrong');
    expect(text).not.toContain('some cause');
  });

  it('gets 503 with Retry-After if the database refuses the connection', async () => {
    const { status, headers, text } = await failing(
      Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    );
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    expect(text).toContain('The server is busy');
  });
});

describe('a disabled user', () => {
  it('loses all sessions immediately, and does not get them back when enabled again', async () => {
    const { visitor, person } = await signedIn(api);
    const { visitor: bystander } = await signedIn(api);
    await users.disable(person.id, 'admin');
    expect(await isIn(visitor)).toBe(false);
    await users.enable(person.id, 'admin');
    expect([await isIn(visitor), await isIn(bystander)]).toEqual([false, true]);
    expect((await new Visitor(api).signIn(person)).status).toBe(303);
  });

  it('has no access even if a session still exists', async () => {
    const { visitor, person } = await signedIn(api);
    const sql = 'UPDATE users SET disabled_at = 1 WHERE id = ?';
    await api.database.transaction((tx) => tx.query(sql, [person.id]));
    expect(await isIn(visitor)).toBe(false);
  });
});

describe('users:set-password', () => {
  it('ends all sessions of this user, and no others', async () => {
    const { visitor, person } = await signedIn(api);
    const { visitor: second } = await signedIn(api, person);
    const { visitor: bystander } = await signedIn(api);
    expect([await isIn(visitor), await isIn(second)]).toEqual([true, true]);
    await withPassword(api, person, 'a new password');
    expect([await isIn(visitor), await isIn(second), await isIn(bystander)]).toEqual([false, false, true]);
  });
});
