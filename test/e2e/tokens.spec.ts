import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { entities } from '../../src/entities';
import { TokensService } from '../../src/users/tokens/tokens.service';
import { UsersService } from '../../src/users/users.service';
import { Person, TestApi } from '../support/api';

let api: TestApi;
let tokens: TokensService;
let users: UsersService;
let requests = 0;

beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
  tokens = api.app.get(TokensService, { strict: false });
  users = new UsersService(api.database);
});
afterAll(() => api.close());

/** The status of a request from a new address with this Authorization header, or without one if null. */
async function statusWith(authorization: string | null): Promise<number> {
  requests += 1;
  const headers = { 'x-forwarded-for': `10.3.${requests >> 8}.${requests & 255}` };
  const { status } = await api
    .as(null)
    .get('/teams', { ...headers, ...(authorization === null ? {} : { authorization }) });
  return status;
}

const idOf = async ({ id }: Person): Promise<number> => (await tokens.list(id))[0].id;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('the value of a token', () => {
  it('consists of gos_, 40 base62 characters, and their CRC-32 in 6 characters', async () => {
    const { token } = await api.person();
    const [, random = '', checksum = ''] = /^gos_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/.exec(token) ?? [];
    const value = [...checksum].reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0);
    expect(value).toBe(crc32(random));
  });

  it('is different for each token', async () => {
    const { id } = await api.person();
    const texts = new Set(await Promise.all(Array.from({ length: 20 }, () => api.token(id, 'read'))));
    expect(texts.size).toBe(20);
  });

  it('is not stored, except as a SHA-256 hash', async () => {
    const { token, client } = await api.person();
    await client.get('/teams');
    const everything: string[] = [];
    for (const entity of entities) {
      const table = api.database.writer.getMetadata(entity).tableName;
      everything.push(JSON.stringify(await api.database.writer.query(`SELECT * FROM ${table}`)));
    }
    const dump = everything.join('\n');
    expect(dump).toContain(createHash('sha256').update(token).digest('hex'));
    expect(dump).not.toContain(token.slice(4, 24));
    expect(dump).not.toContain(token.slice(24, 44));
  });

  it('is not in any list', async () => {
    const { id, token } = await api.person();
    const list = await tokens.list(id);
    expect(list).toEqual([
      {
        id: expect.any(Number),
        name: 'Test',
        abilities: ['read', 'write'],
        expires_at: null,
        projects: null,
        last_used_at: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      },
    ]);
    expect(JSON.stringify(list)).not.toContain(token.slice(0, 20));
  });
});

describe('the Authorization header', () => {
  const forms: [form: string, status: number][] = [
    ['Bearer <token>', 200],
    ['bearer <token>', 200],
    ['BEARER <token>', 200],
    ['Bearer   <token>', 200],
    ['Bearer<token>', 401],
    ['<token>', 401],
    ['Basic <token>', 401],
    ['Token <token>', 401],
    ['Bearer', 401],
    ['Bearer ', 401],
    ['', 401],
    ['Bearer <token> more', 401],
    ['Bearer <token>,', 401],
    ['Bearer "<token>"', 401],
    ['Bearer <token>x', 401],
    ['Bearer x<token>', 401],
    ['Bearer null', 401],
    ['Bearer gos_', 401],
    ['Bearer Bearer <token>', 401],
  ];

  it.each(forms)('%s: %i', async (form, status) => {
    const { token } = await api.person();
    expect(await statusWith(form.replace('<token>', token))).toBe(status);
  });

  it('is required', async () => {
    expect(await statusWith(null)).toBe(401);
  });

  it('is the only place where a token is accepted', async () => {
    const { token } = await api.person();
    const answer = await api.as(null).get(`/teams?token=${token}&api_token=${token}&access_token=${token}`);
    expect([answer.status, answer.body]).toEqual([
      401,
      { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' },
    ]);
  });
});

describe('a changed token', () => {
  it('is rejected, whichever character is changed', async () => {
    const { token } = await api.person();
    const statuses = new Map<number, number>();
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'a' ? 'b' : 'a';
      const changed = token.slice(0, index) + other + token.slice(index + 1);
      statuses.set(index, await statusWith(`Bearer ${changed}`));
    }
    expect([...statuses].filter(([, status]) => status !== 401)).toEqual([]);
    expect(await statusWith(`Bearer ${token}`)).toBe(200);
  });

  it('is rejected in lower case, and with two characters swapped', async () => {
    const { token } = await api.person();
    const swapped = token.replace(/^(gos_.*)(.)(?!\2)(.)(.{3,})$/, '$1$3$2$4');
    expect(swapped).not.toBe(token);
    expect(await statusWith(`Bearer ${token.toLowerCase()}`)).toBe(401);
    expect(await statusWith(`Bearer ${swapped}`)).toBe(401);
  });

  it('is rejected without a lookup unless its checksum matches', async () => {
    const { token } = await api.person();
    const query = jest.spyOn(api.database.read, 'query');
    await statusWith(`Bearer ${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`);
    expect(query).not.toHaveBeenCalled();
    query.mockRestore();
  });
});

describe('a token that was never issued', () => {
  it('is rejected even if its checksum matches', async () => {
    const random = 'A'.repeat(40);
    let rest = crc32(random);
    let checksum = '';
    for (let place = 0; place < 6; place += 1) {
      checksum = ALPHABET.charAt(rest % 62) + checksum;
      rest = Math.floor(rest / 62);
    }
    expect(await statusWith(`Bearer gos_${random}${checksum}`)).toBe(401);
  });
});

describe('abilities', () => {
  const forms: [abilities: string, get: number, post: number][] = [
    ['read', 200, 403],
    ['read,write', 200, 201],
    ['write', 403, 201],
  ];

  it.each(forms)('%s', async (abilities, get, post) => {
    const person = await api.person();
    const team = await api.team();
    await api.join(team, person, 'editor');
    const project = await api.project(team);
    await api.database.writer.query('UPDATE api_tokens SET abilities = ? WHERE user_id = ?', [
      abilities,
      person.id,
    ]);
    const read = await person.client.get(`/projects/${project}/goals`);
    const written = await person.client.post(`/projects/${project}/goals`, { name: 'Goal' });
    expect([read.status, written.status]).toEqual([get, post]);
    const refusals = [read, written]
      .filter(({ status }) => status === 403)
      .map(({ body }) => body as unknown);
    const missing = [...(get === 403 ? ['read'] : []), ...(post === 403 ? ['write'] : [])];
    expect(refusals).toEqual(
      missing.map((ability) => ({
        message: `Missing required ability: ${ability}`,
        code: 'ABILITY_MISSING',
      })),
    );
  });
});

describe('a revoked token', () => {
  it('stops working immediately in the process that revoked it', async () => {
    for (let round = 0; round < 20; round += 1) {
      const person = await api.person();
      expect((await person.client.get('/teams')).status).toBe(200);
      expect(await tokens.revoke(await idOf(person), 'admin')).toBe(true);
      expect((await person.client.get('/teams')).status).toBe(401);
    }
  });

  it('stops working even if a request looks it up during the revocation', async () => {
    const person = await api.person();
    const id = await idOf(person);
    const read = api.database.read;
    const query = read.query.bind(read);
    jest.spyOn(read, 'query').mockImplementationOnce(async (sql, parameters) => {
      const rows: unknown = await query(sql, parameters);
      await tokens.revoke(id, 'admin');
      return rows;
    });
    await person.client.get('/teams');
    jest.restoreAllMocks();
    expect((await person.client.get('/teams')).status).toBe(401);
  });

  it("does not affect the user's other tokens", async () => {
    const person = await api.person();
    const second = api.as(await api.token(person.id, 'read'));
    await second.get('/teams');
    await tokens.revoke(await idOf(person), 'admin');
    expect((await second.get('/teams')).status).toBe(200);
  });

  it('can be revoked only once', async () => {
    const id = await idOf(await api.person());
    expect(await tokens.revoke(id, 'admin')).toBe(true);
    expect(await tokens.revoke(id, 'admin')).toBe(false);
  });

  it('stops working within 5 seconds in other processes', async () => {
    const other = await api.sibling();
    const person = await api.person();
    const there = other.as(person.token);
    expect((await there.get('/teams')).status).toBe(200);
    await tokens.revoke(await idOf(person), 'admin');
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect((await there.get('/teams')).status).toBe(401);
    await other.close();
  });
});

describe('a disabled user', () => {
  it('has no access with any token until enabled again', async () => {
    const person = await api.person();
    await users.disable(person.id, 'admin');
    const second = api.as(await api.token(person.id, 'write'));
    expect([(await person.client.get('/teams')).status, (await second.get('/teams')).status]).toEqual([
      401, 401,
    ]);
    await users.enable(person.id, 'admin');
    expect((await person.client.get('/teams')).status).toBe(200);
  });

  it('loses access, and a changed rate limit takes effect, within 5 seconds if a process has cached the token', async () => {
    const [disabled, limited] = [await api.person(), await api.person(0)];
    await disabled.client.get('/teams');
    await limited.client.get('/teams');
    await users.disable(disabled.id, 'admin');
    await users.setRateLimit(limited.id, 1, 'admin');
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect((await disabled.client.get('/teams')).status).toBe(401);
    expect((await limited.client.get('/teams')).headers['x-ratelimit-limit']).toBe('1');
  });
});
