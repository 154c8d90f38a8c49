import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { newTokenText } from '../../src/users/tokens/token-text';
import { Assistant, Era, useAssistants } from '../support/assistant';
import { freePort } from '../support/server-process';

/* The built MCP program, which assistants start and talk to over standard input and output. */

const PROGRAM = resolve(__dirname, '../../dist/src/mcp.js');
/** A well-formed token that was never issued. */
const VALID = newTokenText();

const scene = useAssistants();
const folder = mkdtempSync(join(tmpdir(), 'gosset-mcp-'));
const open: { close: () => Promise<unknown> }[] = [];

afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
  rmSync(folder, { recursive: true });
});

const { PATH = '' } = process.env;

async function start(env: Record<string, string>, era?: Era, cwd = folder): Promise<Assistant> {
  const command = { command: process.execPath, args: [PROGRAM], env: { PATH, ...env }, cwd };
  const assistant = await Assistant.connect(new StdioClientTransport(command), era);
  open.push(assistant);
  return assistant;
}

const startFor = (token: string, era?: Era) =>
  start({ GOSSET_URL: scene.api.config.publicUrl, GOSSET_TOKEN: token }, era);

/** Runs the program with `input` as its standard input, until it exits. */
function run(
  args: string[],
  env: Record<string, string>,
  input = '',
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env: { PATH, ...env } });
  const answer = { code: null as number | null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (answer.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (answer.stderr += String(chunk)));
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((done) => child.on('close', (code) => done({ ...answer, code })));
}

/** Starts a server that is not Gosset. */
async function serverThat(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  open.push({
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the program', () => {
  it.each<[string, Era]>([
    ['with a handshake', 'legacy'],
    ['without a handshake', { pin: '2026-07-28' }],
  ])('has the same tools as the server, %s', async (_, era) => {
    const { token } = scene.world.people.viewer;
    const [here, there] = [await startFor(token, era), await scene.assistantOf(token, era)];
    expect((await here.client.listTools()).tools).toEqual((await there.client.listTools()).tools);
    expect(here.client.getInstructions()).toBe(there.client.getInstructions());
  });

  it('reads and writes with the permissions of the token', async () => {
    const experiment = await scene.make.ready();
    const { token, id } = scene.world.people.publisher;
    const publisher = await startFor(token);
    expect((await publisher.get('list_teams')).items).toEqual([{ id: scene.world.teamId, name: 'Team' }]);
    const started = await publisher.get('start_experiment', scene.at(experiment));
    expect(started.experiment.status).toBe('running');
    const reader = await startFor(await scene.api.token(id, 'read'));
    const refused = await reader.use('pause_experiment', scene.at(experiment));
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringContaining('Missing required ability: write'),
    ]);
  });

  it('also reads settings from a .env file', async () => {
    const own = mkdtempSync(join(tmpdir(), 'gosset-mcp-env-'));
    const { token } = scene.world.people.viewer;
    writeFileSync(join(own, '.env'), `GOSSET_URL=${scene.api.config.publicUrl}/\nGOSSET_TOKEN=${token}\n`);
    const assistant = await start({}, 'legacy', own);
    expect((await assistant.get('list_teams')).items).toHaveLength(1);
    rmSync(own, { recursive: true });
  });

  it('writes only messages, and exits at the end of its input', async () => {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const { code, stdout, stderr } = await run([], { GOSSET_TOKEN: VALID }, `${hello}\nno message\n`);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ jsonrpc: '2.0', id: 1 }),
    ]);
    expect([code, stderr.includes(VALID)]).toEqual([0, false]);
  });
});

describe('settings', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['no token', {}, /^GOSSET_TOKEN is not set\. Create an API token .*\n$/],
    ['part of a token', { GOSSET_TOKEN: VALID.slice(0, -1) }, /^GOSSET_TOKEN is not an API token.*\n$/],
    [
      'an invalid URL',
      { GOSSET_TOKEN: VALID, GOSSET_URL: 'localhost:3000' },
      /^GOSSET_URL must be an http\(s\) address such as http:\/\/localhost:3000, not "localhost:3000"\.\n$/,
    ],
    ...['http://localhost:3000/?team=1', 'http://localhost:3000/#', 'http://me:secret@localhost:3000'].map(
      (GOSSET_URL): [string, Record<string, string>, RegExp] => [
        GOSSET_URL,
        { GOSSET_TOKEN: VALID, GOSSET_URL },
        /^GOSSET_URL must be an address such as http:\/\/localhost:3000, without a user name, .*\n$/,
      ],
    ),
  ])('are reported in one line if they are invalid: %s', async (_, env, expected) => {
    const { code, stdout, stderr } = await run([], env);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(expected);
    expect(stderr).not.toContain(VALID.slice(0, -1));
  });

  it('are listed by --help', async () => {
    const { code, stdout } = await run(['--help'], {});
    expect([code, stdout]).toEqual([0, expect.stringMatching(/GOSSET_TOKEN[^]*GOSSET_URL/)]);
  });

  it.each([['--token'], ['something']])('cannot be passed as arguments: %s', async (argument) => {
    const { code, stdout } = await run([argument], { GOSSET_TOKEN: VALID });
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('a server', () => {
  const ask = async (url: string, token = VALID): Promise<string> => {
    const assistant = await start({ GOSSET_URL: url, GOSSET_TOKEN: token });
    const { isError, text } = await assistant.use('list_teams');
    expect(isError).toBe(true);
    return text;
  };

  it('that does not respond is reported, with its URL', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await ask(url)).toMatch(
      new RegExp(
        `^Gosset does not respond at ${url}: connect ECONNREFUSED .*\\. Is the server running, and is GOSSET_URL its address\\?$`,
      ),
    );
  });

  it('that is not Gosset is reported', async () => {
    const url = await serverThat((_, response) => response.end('<h1>Welcome</h1>'));
    expect(await ask(url)).toBe(
      `The server at ${url} (status 200) is not Gosset. Set GOSSET_URL to the address of the server.`,
    );
  });

  it.each(['/docs', '/api', '/mcp'])('is reported if GOSSET_URL has a wrong path: %s', async (path) => {
    const url = scene.api.config.publicUrl + path;
    expect(await ask(url, scene.world.people.viewer.token)).toBe(
      `The Gosset API is not at ${url}/api. Set GOSSET_URL to the address of the server, without /api, /docs or /mcp.`,
    );
  });

  it('can have a URL with a path', async () => {
    const proxy = await serverThat((request, response) => {
      void (async () => {
        const path = /^\/behind\/api(\/.*)$/.exec(request.url ?? '')?.[1] ?? '/nowhere';
        const { authorization = '' } = request.headers;
        const answer = await fetch(`${scene.api.config.publicUrl}${path}`, { headers: { authorization } });
        const total = answer.headers.get('x-total-count') ?? '';
        response.writeHead(answer.status, { 'x-total-count': total }).end(await answer.text());
      })();
    });
    const assistant = await start({
      GOSSET_URL: `${proxy}/behind/api`,
      GOSSET_TOKEN: scene.world.people.viewer.token,
    });
    const { items } = await assistant.get('list_teams');
    expect(items).toEqual([{ id: scene.world.teamId, name: 'Team' }]);
  });

  it('is not blamed for invalid arguments', async () => {
    const editor = await startFor(scene.world.people.editor.token);
    for (const idempotency_key of ['schl\u00fcssel \u2713', 'two\nlines']) {
      const args = { ...scene.here(), name: 'Never', idempotency_key };
      const { isError, text } = await editor.use('create_goal', args);
      expect([isError, text]).toEqual([true, expect.stringContaining('printable ASCII')]);
    }
  });

  it('that redirects to another host does not get the token sent there', async () => {
    let isFollowed = false;
    const elsewhere = await serverThat((_, response) => {
      isFollowed = true;
      response.end('[]');
    });
    const url = await serverThat((_, response) => response.writeHead(301, { location: elsewhere }).end());
    expect(await ask(url)).toBe(`${url} redirects to ${elsewhere}. Set GOSSET_URL to that address.`);
    expect(isFollowed).toBe(false);
  });

  it('that rejects the token is reported', async () => {
    expect(await ask(scene.api.config.publicUrl)).toMatch(
      /^Rejected with status 401: Unauthenticated\.\nThe token is missing, mistyped or revoked\./,
    );
  });

  it('whose response is lost executes a retried request only once', async () => {
    let lost = 0;
    const url = await serverThat((request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) {
          chunks.push(chunk as Buffer);
        }
        const { method = '', headers } = request;
        const {
          connection: _,
          host: __,
          'content-length': ___,
          'transfer-encoding': ____,
          ...kept
        } = headers;
        const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
        const answer = await fetch(scene.api.config.publicUrl + (request.url ?? ''), {
          method,
          headers: kept as Record<string, string>,
          body,
        });
        const text = await answer.text();
        if (method === 'POST' && lost === 0) {
          lost += 1;
          response.destroy();
          return;
        }
        const total = answer.headers.get('x-total-count');
        response.writeHead(answer.status, total === null ? {} : { 'x-total-count': total }).end(text);
      })();
    });
    const editor = await start({ GOSSET_URL: url, GOSSET_TOKEN: scene.world.people.editor.token });
    const { made } = await editor.get('create_goal', { ...scene.here(), name: 'Lost and found' });
    const { items } = await editor.get('list_goals', { ...scene.here(), search: 'Lost and found' });
    expect([lost, items.map(({ id }: { id: number }) => id)]).toEqual([1, [made.id]]);
  });
});
