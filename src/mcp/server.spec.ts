import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { describeTools } from '../mcp-tools';
import type { Resource } from '../projects/resources/resource';
import { RESOURCES } from '../resources/registry';
import type { CallApi } from './api-port';
import { createMcpServer, createTools } from './server';
import type { Tool } from './tool';

/* Tests the tools of resources, and tools that get unexpected API responses. */

const reported: unknown[] = [];
let tools: readonly Tool[];

beforeAll(async () => {
  tools = createTools(await describeTools());
});

async function ask(call: CallApi): Promise<unknown> {
  const server = createMcpServer(tools, { call, report: (error) => reported.push(error) });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  const { content, isError } = await client.callTool({ name: 'list_teams', arguments: {} });
  await client.close();
  return [isError, content];
}

const namesOf = async (resources: readonly Resource[]): Promise<string[]> => {
  const names: string[] = [];
  const server = { registerTool: (name: string) => names.push(name) };
  for (const tool of createTools(await describeTools(resources))) {
    tool(server as unknown as McpServer, {
      call: () => Promise.reject(new Error()),
      report: () => undefined,
    });
  }
  return names;
};

it('a declared resource has tools, unless it opts out', async () => {
  const declined = RESOURCES.map((each) =>
    each.type === 'page' ? { ...each, tools: false as const } : each,
  );
  const [all, some] = [await namesOf(RESOURCES), await namesOf(declined)];
  const ofPages = ['list_pages', 'get_page', 'create_page', 'update_page'];
  expect(all).toEqual(expect.arrayContaining(ofPages));
  expect(all).not.toContain('create_environment');
  expect(all.filter((name) => !some.includes(name))).toEqual(ofPages);
});

describe('a tool', () => {
  const failure = [true, [{ type: 'text', text: 'The MCP server failed.' }]];
  beforeEach(() => reported.splice(0));

  it('that fails logs the cause and hides it from the assistant', async () => {
    const secret = new Error('the password is swordfish');
    expect(await ask(() => Promise.reject(secret))).toEqual(failure);
    expect(reported).toEqual([secret]);
  });

  it('that gets a response of the wrong shape does not return the response', async () => {
    const body = [{ id: 'seven', name: 'Team' }];
    expect(await ask(() => Promise.resolve({ status: 200, headers: {}, body }))).toEqual(failure);
    expect(reported).toHaveLength(1);
  });

  it('whose request is rejected without a reason says so', async () => {
    const answer = { status: 502, headers: { 'retry-after': '7' }, body: undefined };
    expect(await ask(() => Promise.resolve(answer))).toEqual([
      true,
      [
        {
          type: 'text',
          text: 'Rejected with status 502: no reason given\nWait 7 seconds before you try again.',
        },
      ],
    ]);
    expect(reported).toEqual([]);
  });
});
