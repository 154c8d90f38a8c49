import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { CallApi } from './api-port';
import { createMcpServer } from './server';

/* What tools do when what they call does what it should not. */

const reported: unknown[] = [];

async function ask(call: CallApi): Promise<unknown> {
  const server = createMcpServer({ call, report: (error) => reported.push(error) });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  const { content, isError } = await client.callTool({ name: 'list_teams', arguments: {} });
  await client.close();
  return [isError, content];
}

describe('a tool', () => {
  const failure = [true, [{ type: 'text', text: 'Something went wrong in the server of these tools.' }]];
  beforeEach(() => reported.splice(0));

  it('that fails says so without saying why, and reports it', async () => {
    const secret = new Error('the password is swordfish');
    expect(await ask(() => Promise.reject(secret))).toEqual(failure);
    expect(reported).toEqual([secret]);
  });

  it('that gets an answer of another shape does not pass it on', async () => {
    const body = [{ id: 'seven', name: 'Team' }];
    expect(await ask(() => Promise.resolve({ status: 200, headers: {}, body }))).toEqual(failure);
    expect(reported).toHaveLength(1);
  });

  it('whose request is refused without a reason says so', async () => {
    const answer = { status: 502, headers: { 'retry-after': '7' }, body: undefined };
    expect(await ask(() => Promise.resolve(answer))).toEqual([
      true,
      [
        {
          type: 'text',
          text: 'Refused with status 502: no reason given\nWait 7 seconds before you try again.',
        },
      ],
    ]);
    expect(reported).toEqual([]);
  });
});
