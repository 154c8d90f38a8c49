import { randomInt } from 'node:crypto';
import { Person, TestApi } from './api';
import type { Answer, Client } from './client';
import { startLive } from './live-server';

const REDIS_URL = process.env.TEST_REDIS_URL;

export const BOTH = { accept: 'application/json, text/event-stream' };

export const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

export const INITIALIZE = message('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

export const LIST = message('tools/list');

/** A server with an MCP endpoint for assistants. */
export interface McpServer {
  api: TestApi;
  person: Person;
  /** @param client the client that sends the request; by default the client of the user */
  send: (body: unknown, client?: Client, headers?: Record<string, string>) => Promise<Answer>;
}

/** Starts the server before the tests of a file, and closes it afterwards. */
export function useMcpServer(): McpServer {
  const server = {
    send: (body, client = server.person.client, headers = {}) =>
      client.post('//mcp', body, { ...BOTH, ...headers }),
  } as McpServer;
  beforeAll(async () => {
    server.api = await startLive({
      TRUST_PROXY: '127.0.0.1',
      ...(REDIS_URL === undefined ? {} : { REDIS_URL }),
    });
    // Counts in Redis outlive a test run, so each run needs new user ids.
    await server.api.database.writer.query(
      `INSERT INTO users (id, email, name, teams_version, created_at, updated_at) VALUES (?, 'first@example.com', 'First', 1, 0, 0)`,
      [randomInt(1_000_000, 2_000_000_000)],
    );
    server.person = await server.api.person();
  });
  afterAll(() => server.api.close());
  return server;
}
