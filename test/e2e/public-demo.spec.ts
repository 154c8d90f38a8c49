import { UsersService } from '../../src/users/users.service';
import { AdminCommand } from '../support/admin';
import { TestApi } from '../support/api';
import { ServerProcess } from '../support/server-process';

/* A server with a public URL does not start while demo users can sign in. */

const PUBLIC = { PUBLIC_URL: 'https://ab.example.com' };
const ADMIN = 'admin@demo.example';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
  const demo = { email: ADMIN, name: 'Ada', rate_limit: null, password: 'correct horse battery' };
  await new UsersService(api.database).create(demo, 'admin');
  const other = { ...demo, email: 'viewer@demo.example', password: null };
  await new UsersService(api.database).create(other, 'admin');
});
afterAll(() => api.close());

const spawn = (environment: Record<string, string>): Promise<ServerProcess> =>
  ServerProcess.spawn({ DATABASE_URL: api.databaseUrl, ...environment });

async function startsWith(environment: Record<string, string>): Promise<void> {
  const server = await (await spawn(environment)).ready();
  server.kill('SIGTERM');
  await server.exit;
}

it('the server names the demo users and a solution when it refuses to start', async () => {
  const server = await spawn(PUBLIC);
  expect(await server.exit).toBe(1);
  expect(server.stderr).toContain(`PUBLIC_URL is public (https://ab.example.com), and users of the demo`);
  expect(server.stderr).toContain(`can sign in: ${ADMIN}. `);
  expect(server.stderr).toContain('DEMO_PUBLIC=allow');
  expect(server.stderr).not.toContain('    at ');
});

it.each([
  ['the public URL is private', { PUBLIC_URL: 'http://192.168.1.20:3000' }],
  ['a setting allows it', { ...PUBLIC, DEMO_PUBLIC: 'allow' }],
])('the server starts if %s', (_, environment) => startsWith(environment));

it('the server starts once the demo users are disabled', async () => {
  const admin = new AdminCommand(api.databaseUrl);
  await admin.json(['users:disable', '--email', ADMIN]);
  admin.remove();
  await startsWith(PUBLIC);
});
