import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AdminCommand } from '../support/admin';
import { createTestDatabase, TestDatabase } from '../support/engine';
import { ServerProcess } from '../support/server-process';

const README = readFileSync(join(__dirname, '../../README.md'), 'utf8');
const WALK = /<!-- walk -->\n\n```sh\n([\s\S]*?)```\n\n```text\n([\s\S]*?)\n```/g;
const END = 'end of a block';

describe('the walk in the README', () => {
  let store: TestDatabase;
  let server: ServerProcess;
  let token: string;

  beforeAll(async () => {
    store = await createTestDatabase();
    const admin = new AdminCommand(store.url);
    await admin.json(['db:migrate']);
    await admin.json(['db:seed-demo']);
    const owner = ['--email', 'admin@demo.example', '--name', 'walk'];
    ({ token } = (await admin.json(['tokens:create', ...owner, '--permission', 'write'])) as {
      token: string;
    });
    admin.remove();
    server = await (await ServerProcess.spawn({ DATABASE_URL: store.url })).ready();
  });

  afterAll(async () => {
    server.kill('SIGTERM');
    await server.exit;
    await store.remove();
  });

  it('takes a new user from a token to results, and each step prints what the README says', () => {
    const steps = [...README.matchAll(WALK)].map(([, commands = '', printed = '']) => ({
      commands,
      printed,
    }));
    expect(steps).toHaveLength(8);
    const script = steps.map(({ commands }) => `${commands}\necho; echo "${END}"\n`).join('');
    const run = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, GOSSET: server.address, AUTH: `Authorization: Bearer ${token}` },
    });
    expect(run.stderr).toBe('');
    const printed = run.stdout.split(`${END}\n`).map((output) => output.trim());
    expect(printed.slice(0, -1)).toEqual(steps.map((step) => step.printed));
  });
});
