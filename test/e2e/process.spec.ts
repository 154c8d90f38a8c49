import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import { entities } from '../../src/entities';
import { Person, TestApi, testConfig, World } from '../support/api';
import { createTestDatabase, engine, TestDatabase } from '../support/engine';
import { ServerProcess } from '../support/server-process';
import { eventually } from '../support/waiting';
import { signal } from '../support/signal';

describe('the server as a process', () => {
  describe('refuses to start', () => {
    it('with an invalid configuration, and reports every problem', async () => {
      const server = await ServerProcess.spawn({
        DATABASE_URL: 'oracle://x',
        PORT: 'http',
        LOG_LEVEL: 'loud',
      });
      expect(await server.exit).toBe(1);
      expect(server.stderr).toContain('DATABASE_URL must be sqlite:<file>');
      expect(server.stderr).toContain('PORT must be a whole number from 0 to 65535, not "http"');
      expect(server.stderr).toContain('LOG_LEVEL must be one of');
      expect(server.stderr).not.toContain('    at ');
    });

    it('with an invalid configuration, even when started as dist/main.js', () => {
      const main = join(__dirname, '../../dist/main.js');
      const { status, stderr } = spawnSync(process.execPath, [main], {
        env: { PORT: 'http' },
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toContain('PORT must be a whole number from 0 to 65535, not "http"');
    });

    it('with arguments, because it takes none, and prints its usage', () => {
      for (const file of ['../../dist/main.js', '../../dist/src/main.js']) {
        const run = (...args: string[]) =>
          spawnSync(process.execPath, [join(__dirname, file), ...args], {
            env: { PORT: 'http' },
            encoding: 'utf8',
          });
        for (const help of ['--help', '-h']) {
          expect(run(help)).toMatchObject({
            status: 0,
            stdout: expect.stringMatching(/^Usage: /),
            stderr: '',
          });
        }
        const { stdout: usage } = run('--help');
        expect(run('db:migrate', '--json')).toMatchObject({
          status: 2,
          stdout: '',
          stderr: `The server takes no arguments, but was called with: db:migrate --json\n\n${usage}`,
        });
      }
    });

    it('with MySQL and no session secret', async () => {
      const server = await ServerProcess.spawn({
        DATABASE_URL: 'mysql://root@127.0.0.1:1/x',
        SESSION_SECRET: '',
      });
      expect(await server.exit).toBe(1);
      expect(server.stderr).toContain('SESSION_SECRET is required on MySQL');
    });

    it('on a port that is in use', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const folder = mkdtempSync(join(tmpdir(), 'gosset-port-'));
      const database = `sqlite:${join(folder, 'gosset.sqlite')}`;
      const server = await ServerProcess.spawn({ DATABASE_URL: database, PORT: String(port) });
      expect(await server.exit).toBe(1);
      rmSync(folder, { recursive: true });
      expect(server.stderr).toBe(
        `Cannot listen on 127.0.0.1:${port}: another program is listening there. Stop it, or set PORT to another number.\n`,
      );
      expect(server.stdout).not.toContain('EADDRINUSE');
      other.close();
    });
  });

  it('chooses a free port for PORT=0, and uses it in its URLs', async () => {
    const api = await TestApi.start();
    const world = await api.world();
    const server = await ServerProcess.spawn({ DATABASE_URL: api.databaseUrl, PORT: '0' });
    const listens = () => server.logLines().find(({ msg }) => String(msg).startsWith('Gosset listens on'));
    expect(await eventually(async () => listens() !== undefined)).toBe(true);
    const [, port] =
      /^Gosset listens on http:\/\/127\.0\.0\.1:(\d+)\. Public URL: http:\/\/localhost:\1$/.exec(
        String(listens()?.msg),
      ) ?? [];
    const answer = await fetch(`http://127.0.0.1:${port}/api${world.project}`, {
      headers: { authorization: `Bearer ${world.people.viewer.token}` },
    });
    expect((await answer.json()).snippet_url).toMatch(new RegExp(`^http://localhost:${port}/s/`));
    server.kill('SIGTERM');
    await server.exit;
    await api.close();
  });

  describe('with pending migrations', () => {
    let store: TestDatabase;
    beforeEach(async () => {
      store = await createTestDatabase();
    });
    afterEach(() => store.remove());

    it('migrates SQLite automatically, but refuses to serve MySQL until db:migrate has run', async () => {
      const server = await ServerProcess.spawn({ DATABASE_URL: store.url });
      if (engine === 'sqlite') {
        await server.ready();
        server.kill('SIGTERM');
        await server.exit;
      } else {
        expect(await server.exit).toBe(1);
        expect(server.stderr).toContain('npm run -s admin -- db:migrate');
      }
    });
  });

  describe('while it serves requests', () => {
    let api: TestApi;
    let world: World;
    let server: ServerProcess;

    beforeAll(async () => {
      api = await TestApi.start();
      world = await api.world();
      server = await (await ServerProcess.spawn({ DATABASE_URL: api.databaseUrl })).ready();
    });

    afterAll(async () => {
      server.kill('SIGKILL');
      await server.exit;
      await api.close();
    });

    const create = (person: Person, name: string): Promise<Response> =>
      fetch(`${server.address}/api${world.project}/pages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });

    it('logs each request with its id, user and token id, without secrets', async () => {
      const answer = await fetch(`${server.address}/api/teams`, {
        headers: {
          authorization: `Bearer ${world.people.viewer.token}`,
          'x-request-id': 'from-the-client-1',
        },
      });
      expect(answer.headers.get('x-request-id')).toBe('from-the-client-1');
      const hostile = await fetch(`${server.address}/api/teams`, { headers: { 'x-request-id': 'a b"c' } });
      expect(hostile.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
      const logged = () => server.logLines().find(({ requestId }) => requestId === 'from-the-client-1');
      await eventually(() => logged() !== undefined);
      const line = logged();
      expect(line).toMatchObject({
        method: 'GET',
        url: '/api/teams',
        status: 200,
        userId: world.people.viewer.id,
      });
      expect(line?.tokenId).toEqual(expect.any(Number));
      expect(server.stdout).not.toContain(world.people.viewer.token);
    });

    // This is the last test, because it ends the server.
    it('finishes running requests on SIGTERM', async () => {
      const database = await Database.open(testConfig({ DATABASE_URL: api.databaseUrl }).database, entities);
      const release = signal();
      const holding = database.transaction(async (tx) => {
        await tx.query('UPDATE project_versions SET version = version + 1');
        await release.given;
      });
      await sleep(200);
      const running = create(world.people.editor, 'Late');
      await sleep(500);
      server.kill('SIGTERM');
      await sleep(300);
      release.give();
      await holding;
      expect((await running).status).toBe(201);
      await server.exit;
      await expect(fetch(`${server.address}/health/live`)).rejects.toThrow();
      const pages: unknown[] = await database.read.query("SELECT id FROM pages WHERE name = 'Late'");
      expect(pages).toHaveLength(1);
      await database.onApplicationShutdown();
    });
  });
});
