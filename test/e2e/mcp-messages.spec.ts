import { Logger } from '@nestjs/common';
import { BOTH, INITIALIZE, LIST, message, useMcpServer } from '../support/mcp-server';

/* Valid and invalid MCP messages. */

const server = useMcpServer();

describe('messages', () => {
  it('get one JSON response each, without a session', async () => {
    const { status, headers, body } = await server.send(INITIALIZE);
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
    expect(await server.send(notification)).toMatchObject({ status: 202, text: '' });
  });

  it('have the same security headers as other responses', async () => {
    const { headers } = await server.send(LIST);
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
    ['invalid JSON', '{"jsonrpc":', JSON_TYPE, 400, -32_700],
    ['an empty body', '', JSON_TYPE, 400, -32_600],
    ['a number', '1', JSON_TYPE, 400, -32_600],
    ['null', 'null', JSON_TYPE, 400, -32_600],
    ['several messages', JSON.stringify([LIST, LIST]), JSON_TYPE, 400, -32_600],
    ['another content type', JSON.stringify(LIST), { 'content-type': 'text/plain' }, 415, -32_700],
    ['more than 1 MiB', JSON.stringify({ ...LIST, x: 'x'.repeat(1_048_576) }), JSON_TYPE, 413, -32_700],
    ['not a JSON-RPC message', '{"hello": "world"}', JSON_TYPE, 400, -32_600],
  ])('are rejected with protocol errors if they are invalid: %s', async (_, body, type, status, code) => {
    const answer = await server.send(body, server.person.client, type);
    expect([answer.status, answer.body]).toEqual([
      status,
      expect.objectContaining({ jsonrpc: '2.0', id: null, error: expect.objectContaining({ code }) }),
    ]);
  });

  it('with very many unknown arguments get a response that names only some of them', async () => {
    const args = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`unknown-${index}`, 1]));
    const { body } = await server.send(message('tools/call', { name: 'list_teams', arguments: args }));
    const { result } = body as { result: { isError: boolean; content: { text: string }[] } };
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('The field unknown-0 is unknown.');
    expect(result.content[0].text.match(/is unknown/g)).toHaveLength(1_000);
  });

  it.each<[string, (deep: string) => string]>([
    ['params', (deep) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${deep}}`],
    ['an unknown field', (deep) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","x":${deep}}`],
    [
      'arguments',
      (deep) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_audience","arguments":{"project_id":1,"name":"X","conditions":${deep}}}}`,
    ],
  ])('are rejected without a server error if they are nested too deeply: %s', async (_, around) => {
    const errors = jest.spyOn(Logger.prototype, 'error');
    for (const levels of [5_000, 100_000]) {
      for (const deep of [
        `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
        `${'['.repeat(levels)}1${']'.repeat(levels)}`,
      ]) {
        const { status, body } = await server.send(around(deep));
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

  it.each(['a b', 'exa[mple', 'me:secret@localhost'])('to an invalid host are rejected: %s', async (host) => {
    const { status, body } = await server.send(LIST, server.person.client, { host });
    expect([status, body]).toEqual([
      400,
      { message: 'The Host header must be the address of this server.', code: 'HOST_INVALID' },
    ]);
  });

  it('with an unknown method get an error', async () => {
    const { body } = await server.send(message('tools/destroy'));
    expect(body).toMatchObject({ id: 1, error: { code: -32_601 } });
  });

  it('in an unknown protocol version are rejected', async () => {
    const { status, body } = await server.send(LIST, server.person.client, {
      'mcp-protocol-version': '1999-01-01',
    });
    expect([status, body]).toEqual([400, expect.objectContaining({ error: expect.any(Object) })]);
  });

  it('cannot subscribe, so no response stays open', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const listen = message('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta });
    const { body } = await server.send(listen, server.person.client, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    });
    expect(body).toMatchObject({ id: 1, error: { message: 'Subscription limit reached' } });
  });

  it.each(['GET', 'DELETE', 'PUT', 'PATCH'] as const)(
    'can only be sent with POST, not with %s',
    async (method) => {
      const { status, headers } = await server.person.client.send(method, '//mcp', undefined, BOTH);
      expect([status, headers.allow]).toEqual([405, 'POST']);
    },
  );

  it('of one conversation can be sent to different processes', async () => {
    const other = await server.api.sibling();
    expect((await server.send(INITIALIZE)).status).toBe(200);
    const { body } = await server.send(
      message('tools/call', { name: 'list_teams' }),
      other.as(server.person.token),
    );
    expect(body).toMatchObject({ result: { structuredContent: { items: expect.any(Array) } } });
    await other.close();
  });
});
