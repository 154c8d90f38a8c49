import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECRET } from '../support/api';
import { ROOT } from '../support/documents';
import { createTestDatabase, TestDatabase } from '../support/engine';
import { AdminCommand } from '../support/admin';
import { freePort } from '../support/server-process';

/* `npm run quickstart` in an up-to-date installation. */

interface Started {
  text: () => string;
  exit: Promise<number | null>;
  stop: () => void;
}

function quickstart(environment: Record<string, string>): Started {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [join(ROOT, 'scripts/quickstart.mjs')], {
    env: { PATH, SESSION_SECRET: SECRET, ...environment },
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  child.stderr.on('data', (chunk) => (text += String(chunk)));
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return { text: () => text, exit, stop: () => void child.kill('SIGTERM') };
}

describe('the quick start', () => {
  it.each(['PORT', 'DEMO_PORT'])('immediately reports which program uses its port: %s', async (variable) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const ports = { PORT: String(await freePort()), DEMO_PORT: String(await freePort()) };
    const started = quickstart({ ...ports, [variable]: String(port) });
    expect(await started.exit).toBe(1);
    other.close();
    const [first = '', second = '', ...rest] = started.text().trim().split('\n');
    expect(first).toMatch(
      new RegExp(`^Port ${port} \\((server|demo shop)\\) is used by (process ${process.pid} |another)`),
    );
    expect(second).toMatch(/: PORT=\d+ npm run quickstart$/);
    expect(rest).toEqual([]);
  });

  it('prints the addresses once the server and the shop respond', async () => {
    const store: TestDatabase = await createTestDatabase();
    const admin = new AdminCommand(store.url);
    await admin.json(['db:migrate']);
    admin.remove();
    const ports = { PORT: String(await freePort()), DEMO_PORT: String(await freePort()) };
    const started = quickstart({ DATABASE_URL: store.url, LOG_LEVEL: 'warn', ...ports });
    const ended = started.exit.then(() => 'ended');
    while (!/Ctrl-C/.test(started.text())) {
      const what = await Promise.race([ended, new Promise((done) => setTimeout(done, 100))]);
      expect([what, started.text()]).not.toContain('ended');
    }
    const [, server = '', shop = ''] =
      /^ {2}Server +(\S+)$[\s\S]*^ {2}Shop +(\S+)$/m.exec(started.text()) ?? [];
    expect([server, shop]).toEqual([`http://localhost:${ports.PORT}`, `http://localhost:${ports.DEMO_PORT}`]);
    for (const address of [`${server}/login`, shop]) {
      expect((await fetch(address.replace('localhost', '127.0.0.1'))).status).toBe(200);
    }
    started.stop();
    expect(await started.exit).toBe(0);
    await store.remove();
  }, 120_000);
});

describe('the folder of the demo', () => {
  const folders: string[] = [];
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  function folderWith(...files: string[]): string {
    const installation = mkdtempSync(join(tmpdir(), 'gosset-quickstart-'));
    folders.push(installation);
    mkdirSync(join(installation, 'data/demo'), { recursive: true });
    files.forEach((file) => writeFileSync(join(installation, file), ''));
    const script = `import { demoFolder } from ${JSON.stringify(join(ROOT, 'scripts/demo-data.mjs'))};
      process.stdout.write(demoFolder(${JSON.stringify(installation)}));`;
    return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  }

  it.each([
    ['data/demo', 'there are no files yet', []],
    ['data/demo', 'there is a production database', ['data/gosset.sqlite']],
    ['data', 'an earlier release created the demo in data', ['data/gosset.sqlite', 'data/demo.json']],
    [
      'data/demo',
      'data/demo already has a database',
      ['data/gosset.sqlite', 'data/demo.json', 'data/demo/gosset.sqlite'],
    ],
  ])('is %s if %s', (expected, _, files) => expect(folderWith(...files)).toBe(expected));
});
