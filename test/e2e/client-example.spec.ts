import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UsersService } from '../../src/users/users.service';
import type { TestApi } from '../support/api';
import { seedDemo } from '../support/demo';
import { startLive } from '../support/live-server';

/* The example of the client, built and run as its README says, against a server with the demo. */

const run = promisify(execFile);
const ROOT = join(__dirname, '../..');
const CLIENT = join(ROOT, 'clients/typescript');
const README = readFileSync(join(CLIENT, 'README.md'), 'utf8');
const ADMIN = 'admin@demo.example';

let api: TestApi;
let folder: string;
let token: string;

beforeAll(async () => {
  api = await startLive();
  await seedDemo(api);
  const admin = await new UsersService(api.database).findByEmail(ADMIN);
  token = await api.token(admin?.id ?? 0, 'write');
  folder = mkdtempSync(join(tmpdir(), 'gosset-client-'));
  cpSync(CLIENT, folder, {
    recursive: true,
    filter: (path) => !/node_modules|dist/.test(path.slice(CLIENT.length)),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await compile('tsconfig.build.json');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api.close();
});

/** Runs the compiler in the copied folder; fails with what it says. */
const compile = (settings: string) =>
  run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', settings], { cwd: folder });

const example = (environment: Record<string, string>) =>
  run(process.execPath, ['example.mjs'], { cwd: folder, env: { PATH: process.env.PATH, ...environment } });

it('makes and starts an experiment and reads results, and prints what the README says', async () => {
  const { stdout, stderr } = await example({ GOSSET_URL: api.config.publicUrl, GOSSET_TOKEN: token });
  expect(stderr).toBe('');
  const [, printed = ''] = /It prints, after the first start:\n\n```text\n([\s\S]*?)```/.exec(README) ?? [];
  const [lines, results] = [stdout.slice(0, printed.length), stdout.slice(printed.length).trim().split('\n')];
  expect(lines).toBe(printed);
  expect(results).toEqual([
    expect.stringMatching(
      /^Results of Green buy button: .+: \d+ participants, \w+; .+: \d+ participants, \w+$/,
    ),
    'Results of Short form: No result found for this experiment',
  ]);
});

it('says what is missing without a token', async () => {
  await expect(example({})).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('GOSSET_TOKEN'),
  });
});

it('says what is wrong with a token that is none', async () => {
  const wrong = example({ GOSSET_URL: api.config.publicUrl, GOSSET_TOKEN: 'gos_wrong' });
  await expect(wrong).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('GossetError: Unauthenticated.'),
  });
});

it('has a README whose lines of code fit together and are right by their types', async () => {
  const blocks = [...README.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  expect(blocks).toHaveLength(4);
  writeFileSync(join(folder, 'readme.ts'), blocks.join('\n'));
  writeFileSync(
    join(folder, 'tsconfig.readme.json'),
    JSON.stringify({
      extends: './tsconfig.json',
      compilerOptions: { noUnusedLocals: false },
      include: ['readme.ts'],
    }),
  );
  await expect(compile('tsconfig.readme.json')).resolves.toMatchObject({ stdout: '' });
});
