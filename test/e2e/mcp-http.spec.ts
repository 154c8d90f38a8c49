import { randomInt } from 'node:crypto';
import { Assistant } from '../support/assistant';
import { INITIALIZE, LIST, message, useMcpServer } from '../support/mcp-server';
import { Maker } from '../support/scene';

/* The MCP endpoint: authentication and rate limits. */

const server = useMcpServer();

const someAddress = (): Record<string, string> => ({
  'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
});

describe('without a valid token', () => {
  it('no tool runs, and the message is not even parsed', async () => {
    const { token } = server.person;
    for (const wrong of [null, 'x', `gos_${'a'.repeat(46)}`, token.slice(0, -1)]) {
      for (const body of [INITIALIZE, LIST, '{', 'x'.repeat(2_000_000)]) {
        const {
          status,
          headers,
          body: answer,
        } = await server.send(body, server.api.as(wrong), someAddress());
        expect([status, headers['www-authenticate'], answer]).toEqual([
          401,
          'Bearer',
          { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' },
        ]);
      }
    }
  });

  it('failed attempts count against the same limit as API requests, and do not affect other users', async () => {
    const from = someAddress();
    const guess = (path: string) => server.api.as(`gos_${'b'.repeat(46)}`).get(path, from);
    const tell = () => server.send(LIST, server.api.as(null), from);
    for (let count = 0; count < 30; count += 1) {
      expect([(await guess('/teams')).status, (await tell()).status]).toEqual([401, 401]);
    }
    const { status, headers, body } = await tell();
    expect([status, body, headers['x-ratelimit-limit']]).toEqual([
      429,
      { message: 'Too Many Attempts.', code: 'RATE_LIMITED' },
      '60',
    ]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await guess('/teams')).status).toBe(429);
    expect((await server.send(LIST, server.person.client, from)).status).toBe(200);
  });

  it('the official client reports that it is not authorised', async () => {
    const address = server.api.config.publicUrl;
    await expect(Assistant.overHttp(address, 'gos_wrong', 'legacy', someAddress())).rejects.toMatchObject({
      status: 401,
    });
  });

  it('a session does not give access', async () => {
    const { status } = await server.send(LIST, server.api.as(null), {
      ...someAddress(),
      cookie: 'gosset_session=x',
    });
    expect(status).toBe(401);
  });
});

describe('the rate limit', () => {
  it('counts every message, except that a tool call counts as the API calls of the tool', async () => {
    const limited = await server.api.person(5);
    const statuses = [];
    for (const body of [LIST, LIST, message('tools/call', { name: 'list_teams' })]) {
      statuses.push((await server.send(body, limited.client)).status);
    }
    const { headers } = await limited.client.get('/teams');
    expect([statuses, headers['x-ratelimit-remaining']]).toEqual([[200, 200, 200], '1']);
    expect((await server.send(LIST, limited.client)).status).toBe(200);
    for (const body of [LIST, '{', message('tools/call', { name: 'list_teams' })]) {
      const refused = await server.send(body, limited.client);
      expect([refused.status, refused.body]).toEqual([
        429,
        { message: 'Too Many Attempts.', code: 'RATE_LIMITED' },
      ]);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await limited.client.get('/teams')).status).toBe(429);
  });

  it('counts an invalid message', async () => {
    const limited = await server.api.person(2);
    const wrong = () => server.send(message('tools/call', { name: 'no_tool' }), limited.client);
    expect([(await wrong()).status, (await wrong()).status, (await wrong()).status]).toEqual([200, 200, 429]);
  });

  it('reports the time to wait if the second API call of a tool exceeds the limit', async () => {
    const [limited, team] = [await server.api.person(1), await server.api.team()];
    await server.api.join(team, server.person, 'admin');
    await server.api.join(team, limited, 'admin');
    const project = await server.api.project(team);
    const experiment = await new Maker(server.person.client, `/projects/${project}`).ready();
    const args = { project_id: project, experiment_id: experiment.id };
    const call = message('tools/call', { name: 'check_start', arguments: args });
    const { status, text } = await server.send(call, limited.client);
    const { result } = JSON.parse(text) as { result: { isError: boolean; content: { text: string }[] } };
    expect([status, result.isError, result.content[0]?.text]).toEqual([
      200,
      true,
      expect.stringMatching(
        /^Rejected with status 429: Too Many Attempts\.\nWait [1-9]\d? seconds before you try again\./,
      ),
    ]);
  });

  it('is separate from the limit for unauthenticated clients at the same address', async () => {
    const from = someAddress();
    for (let count = 0; count < 61; count += 1) {
      await server.api.as(null).get('/teams', from);
    }
    const stranger = await server.api.person();
    const assistant = await Assistant.overHttp(server.api.config.publicUrl, stranger.token, 'legacy', from);
    expect((await assistant.get('list_teams')).items).toEqual([]);
    await assistant.close();
  });
});

describe('browsers', () => {
  it.each(['https://evil.example', 'null', 'http://localhost.evil.example', ''])(
    'are rejected if the request comes from another site: %s',
    async (origin) => {
      const { status, body } = await server.send(LIST, server.person.client, { origin });
      expect([status, body]).toEqual([
        403,
        { message: 'Requests from other sites are not allowed.', code: 'ORIGIN_NOT_ALLOWED' },
      ]);
    },
  );

  it('on other sites cannot find out whether a token is valid', async () => {
    const { status } = await server.send(LIST, server.api.as(null), { origin: 'https://evil.example' });
    expect(status).toBe(403);
  });

  it('are allowed on pages of the server itself', async () => {
    const { status, headers } = await server.send(LIST, server.person.client, {
      origin: server.api.config.publicUrl,
    });
    expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined]);
  });

  it('get no CORS headers in preflight responses', async () => {
    const { status, headers } = await server.person.client.send('OPTIONS', '//mcp', undefined, {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
    });
    expect([status, headers['access-control-allow-origin']]).toEqual([405, undefined]);
  });
});
