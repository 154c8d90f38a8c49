import { randomInt } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Person, TestApi } from '../support/api';
import { Assistant } from '../support/assistant';
import type { Answer, Client } from '../support/client';
import { startLive } from '../support/live-server';
import { Maker } from '../support/scene';

/* The address for assistants: who gets in, what is counted, and what becomes of messages that are none. */

const REDIS_URL = process.env.TEST_REDIS_URL;

let api: TestApi;
let person: Person;

beforeAll(async () => {
  api = await startLive({
    TRUST_PROXY: '127.0.0.1',
    ...(REDIS_URL === undefined ? {} : { REDIS_URL }),
  });
  // Counts in Redis outlive a run, so users get ids that no other run has.
  await api.database.writer.query(
    `INSERT INTO users (id, email, name, teams_version, created_at, updated_at) VALUES (?, 'first@example.com', 'First', 1, 0, 0)`,
    [randomInt(1_000_000, 2_000_000_000)],
  );
  person = await api.person();
});

afterAll(() => api.close());

const someAddress = (): Record<string, string> => ({
  'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
});

const BOTH = { accept: 'application/json, text/event-stream' };
const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const INITIALIZE = message('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});
const LIST = message('tools/list');

const send = (body: unknown, client: Client = person.client, headers = {}): Promise<Answer> =>
  client.post('//mcp', body, { ...BOTH, ...headers });

describe('without a valid token', () => {
  it('nothing is done, not even reading the message', async () => {
    const { token } = person;
    for (const wrong of [null, 'x', `gos_${'a'.repeat(46)}`, token.slice(0, -1)]) {
      for (const body of [INITIALIZE, LIST, '{', 'x'.repeat(2_000_000)]) {
        const { status, headers, body: answer } = await send(body, api.as(wrong), someAddress());
        expect([status, headers['www-authenticate'], answer]).toEqual([
          401,
          'Bearer',
          { message: 'Unauthenticated.' },
        ]);
      }
    }
  });

  it('guesses are limited together with those at the API, and keep nobody else from working', async () => {
    const from = someAddress();
    const guess = (path: string) => api.as(`gos_${'b'.repeat(46)}`).get(path, from);
    const tell = () => send(LIST, api.as(null), from);
    for (let count = 0; count < 30; count += 1) {
      expect([(await guess('/teams')).status, (await tell()).status]).toEqual([401, 401]);
    }
    const { status, headers, body } = await tell();
    expect([status, body, headers['x-ratelimit-limit']]).toEqual([
      429,
      { message: 'Too Many Attempts.' },
      '60',
    ]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await guess('/teams')).status).toBe(429);
    expect((await send(LIST, person.client, from)).status).toBe(200);
  });

  it('the official client says that it is not authorized', async () => {
    const address = api.config.publicUrl;
    await expect(Assistant.overHttp(address, 'gos_wrong', 'legacy', someAddress())).rejects.toMatchObject({
      status: 401,
    });
  });

  it('a session does not open it', async () => {
    const { status } = await send(LIST, api.as(null), { ...someAddress(), cookie: 'gosset_session=x' });
    expect(status).toBe(401);
  });
});

describe('the rate limit', () => {
  it('counts every message, and of one that calls a tool what the tool asks of the API', async () => {
    const limited = await api.person(5);
    const statuses = [];
    for (const body of [LIST, LIST, message('tools/call', { name: 'list_teams' })]) {
      statuses.push((await send(body, limited.client)).status);
    }
    const { headers } = await limited.client.get('/teams');
    expect([statuses, headers['x-ratelimit-remaining']]).toEqual([[200, 200, 200], '1']);
    expect((await send(LIST, limited.client)).status).toBe(200);
    for (const body of [LIST, '{', message('tools/call', { name: 'list_teams' })]) {
      const refused = await send(body, limited.client);
      expect([refused.status, refused.body]).toEqual([429, { message: 'Too Many Attempts.' }]);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await limited.client.get('/teams')).status).toBe(429);
  });

  it('counts a message that no tool understands', async () => {
    const limited = await api.person(2);
    const wrong = () => send(message('tools/call', { name: 'no_tool' }), limited.client);
    expect([(await wrong()).status, (await wrong()).status, (await wrong()).status]).toEqual([200, 200, 429]);
  });

  it('tells an assistant how long to wait when the second call of a tool goes beyond it', async () => {
    const [limited, team] = [await api.person(1), await api.team()];
    await api.join(team, person, 'admin');
    await api.join(team, limited, 'admin');
    const project = await api.project(team);
    const experiment = await new Maker(person.client, `/projects/${project}`).ready();
    const args = { project_id: project, experiment_id: experiment.id };
    const call = message('tools/call', { name: 'check_start', arguments: args });
    const { status, text } = await send(call, limited.client);
    const { result } = JSON.parse(text) as { result: { isError: boolean; content: { text: string }[] } };
    expect([status, result.isError, result.content[0]?.text]).toEqual([
      200,
      true,
      expect.stringMatching(
        /^Refused with status 429: Too Many Attempts\.\nWait [1-9]\d? seconds before you try again\./,
      ),
    ]);
  });

  it('is not that of strangers at the same address', async () => {
    const from = someAddress();
    for (let count = 0; count < 61; count += 1) {
      await api.as(null).get('/teams', from);
    }
    const stranger = await api.person();
    const assistant = await Assistant.overHttp(api.config.publicUrl, stranger.token, 'legacy', from);
    expect((await assistant.get('list_teams')).items).toEqual([]);
    await assistant.close();
  });
});

describe('browsers', () => {
  it.each(['https://evil.example', 'null', 'http://localhost.evil.example', ''])(
    'from other sites are refused: %s',
    async (origin) => {
      const { status, body } = await send(LIST, person.client, { origin });
      expect([status, body]).toEqual([403, { message: 'Pages of other sites may not use this address.' }]);
    },
  );

  it('from other sites do not learn whether a token is valid', async () => {
    const { status } = await send(LIST, api.as(null), { origin: 'https://evil.example' });
    expect(status).toBe(403);
  });

  it('may be at the address of the server itself', async () => {
    const { status, headers } = await send(LIST, person.client, { origin: api.config.publicUrl });
    expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined]);
  });

  it('are not given leave when they ask first', async () => {
    const { status, headers } = await person.client.send('OPTIONS', '//mcp', undefined, {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
    });
    expect([status, headers['access-control-allow-origin']]).toEqual([405, undefined]);
  });
});

describe('messages', () => {
  it('are answered one by one, as JSON and without a session', async () => {
    const { status, headers, body } = await send(INITIALIZE);
    expect([status, headers['content-type'], headers['mcp-session-id']]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
      undefined,
    ]);
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { protocolVersion: '2025-06-18', serverInfo: { name: 'gosset' } },
    });
    const { id: _, ...notification } = message('notifications/initialized');
    expect(await send(notification)).toMatchObject({ status: 202, text: '' });
  });

  it('carry the headers that protect every answer', async () => {
    const { headers } = await send(LIST);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-request-id': expect.any(String),
    });
    expect(headers['x-ratelimit-limit']).toBeUndefined();
  });

  const JSON_TYPE = { 'content-type': 'application/json' };

  it.each<[string, string, Record<string, string>, number, number]>([
    ['no JSON', '{"jsonrpc":', JSON_TYPE, 400, -32_700],
    ['nothing', '', JSON_TYPE, 400, -32_600],
    ['a number', '1', JSON_TYPE, 400, -32_600],
    ['null', 'null', JSON_TYPE, 400, -32_600],
    ['several messages', JSON.stringify([LIST, LIST]), JSON_TYPE, 400, -32_600],
    ['another content type', JSON.stringify(LIST), { 'content-type': 'text/plain' }, 415, -32_700],
    ['more than 1 MiB', JSON.stringify({ ...LIST, x: 'x'.repeat(1_048_576) }), JSON_TYPE, 413, -32_700],
    ['no message', '{"hello": "world"}', JSON_TYPE, 400, -32_600],
  ])('that are none are refused in the language of the protocol: %s', async (_, body, type, status, code) => {
    const answer = await send(body, person.client, type);
    expect([answer.status, answer.body]).toEqual([
      status,
      expect.objectContaining({ jsonrpc: '2.0', id: null, error: expect.objectContaining({ code }) }),
    ]);
  });

  it.each<[string, (deep: string) => string]>([
    ['params', (deep) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${deep}}`],
    ['what is no part of a message', (deep) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","x":${deep}}`],
    [
      'arguments',
      (deep) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_audience","arguments":{"project_id":1,"name":"X","conditions":${deep}}}}`,
    ],
  ])('that are nested too deeply are refused, and no failure of the server: %s', async (_, around) => {
    const errors = jest.spyOn(Logger.prototype, 'error');
    for (const levels of [5_000, 100_000]) {
      for (const deep of [
        `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
        `${'['.repeat(levels)}1${']'.repeat(levels)}`,
      ]) {
        const { status, body } = await send(around(deep));
        expect([status, body]).toEqual([
          400,
          {
            jsonrpc: '2.0',
            id: null,
            error: { code: -32_600, message: 'The message is nested deeper than 32 levels.' },
          },
        ]);
      }
    }
    expect(errors).not.toHaveBeenCalled();
    errors.mockRestore();
  });

  it.each(['a b', 'exa[mple', 'me:secret@localhost'])(
    'to a host that is none are refused: %s',
    async (host) => {
      const { status, body } = await send(LIST, person.client, { host });
      expect([status, body]).toEqual([
        400,
        { message: 'The Host header must be the address of this server.' },
      ]);
    },
  );

  it('with an unknown method are answered with an error', async () => {
    const { body } = await send(message('tools/destroy'));
    expect(body).toMatchObject({ id: 1, error: { code: -32_601 } });
  });

  it('in an unknown version of the protocol are refused', async () => {
    const { status, body } = await send(LIST, person.client, { 'mcp-protocol-version': '1999-01-01' });
    expect([status, body]).toEqual([400, expect.objectContaining({ error: expect.any(Object) })]);
  });

  it('cannot subscribe to anything, so that no answer stays open', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const listen = message('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta });
    const { body } = await send(listen, person.client, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    });
    expect(body).toMatchObject({ id: 1, error: { message: 'Subscription limit reached' } });
  });

  it.each(['GET', 'DELETE', 'PUT', 'PATCH'] as const)('come by POST only, not by %s', async (method) => {
    const { status, headers } = await person.client.send(method, '//mcp', undefined, BOTH);
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });

  it('of one conversation may reach different processes', async () => {
    const other = await api.sibling();
    expect((await send(INITIALIZE)).status).toBe(200);
    const { body } = await send(message('tools/call', { name: 'list_teams' }), other.as(person.token));
    expect(body).toMatchObject({ result: { structuredContent: { items: expect.any(Array) } } });
    await other.close();
  });
});
