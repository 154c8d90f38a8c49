import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UsersService } from '../../src/users/users.service';
import type { TestApi } from '../support/api';
import { BuiltClient } from '../support/built-client';
import { seedDemo } from '../support/demo';
import { startLive } from '../support/live-server';
import { freePort } from '../support/server-process';

/* The client example, built and run as its README describes, against a server with the demo. */

const run = promisify(execFile);
const ROOT = join(__dirname, '../..');
const CLIENT = join(ROOT, 'clients/typescript');
const README = readFileSync(join(CLIENT, 'README.md'), 'utf8');
const ADMIN = 'admin@demo.example';

const blocks = [...README.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

let api: TestApi;
let client: BuiltClient;
let folder: string;
let token: string;

beforeAll(async () => {
  api = await startLive();
  await seedDemo(api);
  const admin = await new UsersService(api.database).findByEmail(ADMIN);
  token = await api.token(admin?.id ?? 0, 'write');
  client = await BuiltClient.build();
  ({ folder } = client);
});
afterAll(async () => {
  client.remove();
  await api.close();
});

const example = (environment: Record<string, string>) =>
  run(process.execPath, ['example.mjs'], { cwd: folder, env: { PATH: process.env.PATH, ...environment } });

it('the example creates and starts an experiment, reads results, and prints the output shown in the README', async () => {
  const { stdout, stderr } = await example({ GOSSET_URL: api.config.publicUrl, GOSSET_TOKEN: token });
  expect(stderr).toBe('');
  const [, printed = ''] = /On the first run, it prints:\n\n```text\n([\s\S]*?)```/.exec(README) ?? [];
  const [lines, results] = [stdout.slice(0, printed.length), stdout.slice(printed.length).trim().split('\n')];
  expect(lines).toBe(printed);
  expect(results).toEqual([
    expect.stringMatching(
      /^Results of Green buy button: .+: \d+ participants, \w+; .+: \d+ participants, \w+$/,
    ),
    'Results of Short form: No result found for this experiment',
  ]);
});

it('the example reports a missing token', async () => {
  await expect(example({})).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('GOSSET_TOKEN'),
  });
});

it('the example reports an invalid token', async () => {
  const wrong = example({ GOSSET_URL: api.config.publicUrl, GOSSET_TOKEN: 'gos_wrong' });
  await expect(wrong).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('GossetError: Unauthenticated.'),
  });
});

it('the example reports in one sentence that the server does not respond', async () => {
  const GOSSET_URL = `http://127.0.0.1:${await freePort()}`;
  await expect(example({ GOSSET_URL, GOSSET_TOKEN: token })).rejects.toMatchObject({
    code: 1,
    stderr: `No server responds at ${GOSSET_URL}. Start it, or set GOSSET_URL to its address.\n`,
  });
});

it('the code in the README is complete and type-checks', async () => {
  expect(blocks).toHaveLength(4);
  expect(await problemsBut('types.ts')).toEqual([]);
});

/** The output of the compiler with stricter options than those of this repository. */
async function compileStrictly(): Promise<string> {
  writeFileSync(join(folder, 'readme.ts'), blocks.join('\n'));
  writeFileSync(join(folder, 'types.ts'), TYPES);
  const compilerOptions = {
    noUnusedLocals: false,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
  };
  writeFileSync(
    join(folder, 'tsconfig.strict.json'),
    JSON.stringify({ extends: './tsconfig.json', compilerOptions, include: ['readme.ts', 'types.ts'] }),
  );
  try {
    return String((await client.compile('tsconfig.strict.json')).stdout);
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && error.stdout !== '') {
      return String(error.stdout);
    }
    throw error;
  }
}

let compiling: Promise<string> | undefined;
/** The compiler errors, except those of one file, which another test checks. All files are compiled together. */
async function problemsBut(other: string): Promise<string[]> {
  compiling ??= compileStrictly();
  return (await compiling).split('\n').filter((line) => /^\S/.test(line) && !line.startsWith(`${other}(`));
}

/** Lines that must compile. A line after `@ts-expect-error` must not. */
const TYPES = `
import { createGosset, ok } from '@gosset/client';

const gosset = createGosset({ url: 'http://localhost:3000', token: 'gos_...' });
const project = { path: { project: 1 } };
const experiment = { path: { project: 1, experiment: 1 } };
const AT = '/api/projects/{project}/experiments/{experiment}';

const shown = await ok(gosset.GET(AT, { params: experiment }));
const css: string | null | undefined = shown.variations[0]?.css;
const [listed] = await ok(gosset.GET('/api/projects/{project}/experiments', { params: project }));
const js: string | null | undefined = listed?.variations[0]?.js;
const light = await gosset.GET('/api/projects/{project}/experiments', {
  params: { ...project, query: { variations: 'lite' } },
});
const original: boolean | undefined = light.data?.[0]?.variations?.[0]?.is_original;

await gosset.PATCH(AT, { params: experiment, body: { traffic_allocation: 50 } });
await gosset.PUT(AT, { params: experiment, body: shown });
await gosset.PUT(AT, { params: experiment, body: { ...shown, traffic_allocation: 50 } });
// @ts-expect-error
await gosset.PATCH(AT, { params: experiment, body: { trafic_allocation: 50 } });
// @ts-expect-error
await gosset.PATCH(AT, { params: experiment, body: { name: 'A', trafic_allocation: 50 }, ...{ headers: {} } });
await gosset.POST('/api/projects/{project}/experiments', {
  params: project,
  // @ts-expect-error
  body: { name: 'A', variations: [{ name: 'B', cs: '' }] },
});
// @ts-expect-error
await gosset.GET('/api/projects/{project}/experiments', { params: { ...project, query: { field: 'name' } } });
// @ts-expect-error
await gosset.GET(AT);
// @ts-expect-error
await gosset.GET('/api/experiments');

const tried = await gosset.POST('/api/projects/{project}/goals', { params: project, body: { name: 'A' } });
const id: number | null | undefined = tried.data?.id;
const messages: string[] = Object.values(tried.error?.errors ?? {}).flat();
const others: string[] | undefined = tried.error?.allowed_statuses;

const [entry] = await ok(gosset.GET('/api/projects/{project}/experiments/{experiment}/results', { params: experiment }));
const change: number | null | undefined = Object.values(entry?.variationStatistics ?? {})[0]?.statistics.conversion.uplift;

const file = await gosset.GET(
  '/api/projects/{project}/experiments/{experiment}/results/goal/{goal}/download',
  { params: { path: { ...experiment.path, goal: 1 } }, parseAs: 'text' },
);
const csv: string | undefined = file.data;
`;

it('the types match the responses, and reject what the server rejects', async () => {
  expect(await problemsBut('readme.ts')).toEqual([]);
});
