import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildDocument } from '../../src/platform/reference/reference';
import type { CodeSample } from '../../src/platform/reference/samples/code-samples';
import { UsersService } from '../../src/users/users.service';
import type { TestApi } from '../support/api';
import { seedDemo } from '../support/demo';
import { startLive } from '../support/live-server';

/* The request samples of the reference. Each is a program that performs its operation. */

const run = promisify(execFile);
const ROOT = join(__dirname, '../..');

interface Sample extends CodeSample {
  id: string;
}

let api: TestApi;
let samples: Sample[];
let folder: string;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  api = await startLive();
  const demo = await seedDemo(api);
  const users = new UsersService(api.database);
  const admin = await users.findByEmail('admin@demo.example');
  await users.setRateLimit(admin?.id ?? 0, 0, 'admin');
  const { body: project } = await demo.client.get(demo.project);
  environment = {
    PATH: process.env.PATH,
    GOSSET_TOKEN: await api.token(admin?.id ?? 0, 'write'),
    GOSSET_CLIENT_KEY: project.client_key as string,
  };
  const { paths } = buildDocument(api.app, api.config);
  samples = Object.values(paths)
    .flatMap((item) => Object.values(item) as { operationId?: string; 'x-codeSamples'?: CodeSample[] }[])
    .flatMap(({ operationId: id = '', 'x-codeSamples': own = [] }) => own.map((each) => ({ id, ...each })));
  folder = mkdtempSync(join(tmpdir(), 'gosset-samples-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api.close();
});

const inLanguage = (label: string): Sample[] => samples.filter((sample) => sample.label === label);

const sourceOf = (id: string, label: string): string =>
  inLanguage(label).find((sample) => sample.id === id)?.source ?? '';

it('request samples exist for each operation, in each supported language', () => {
  const ids = new Set(samples.map(({ id }) => id));
  expect(ids.size).toBeGreaterThan(80);
  const withoutAll = [...ids].filter((id) => samples.filter((each) => each.id === id).length < 3);
  expect(withoutAll).toEqual(['streamPayload']);
});

describe('the curl sample of', () => {
  const curl = async (id: string): Promise<unknown> => {
    const { stdout } = await run('sh', ['-c', sourceOf(id, 'curl')], { env: environment });
    return JSON.parse(stdout) as unknown;
  };

  it.each([
    ['listTeams', [expect.objectContaining({ id: 1 })]],
    ['showProject', expect.objectContaining({ id: 1, client_key: expect.any(String) })],
    ['createGoal', expect.objectContaining({ project_id: 1, api_name: expect.any(String) })],
    ['createExperiment', expect.objectContaining({ status: 'draft', name: 'Green buy button' })],
    ['patchAudience', expect.objectContaining({ id: 1 })],
    ['collectBatch', expect.objectContaining({ success: true })],
    ['decide', expect.objectContaining({ revision: expect.any(Number) })],
    ['showLiveness', { status: 'ok' }],
    ['deleteVariation', expect.objectContaining({ code: 'EXPERIMENT_HAS_PARTICIPANTS' })],
  ])('%s does what the operation describes', async (id, answer) => {
    expect(await curl(id)).toEqual(answer);
  });
});

/** The samples that fail on the demo, with their statuses. */
const FAILING: Readonly<Record<string, number>> = {
  deleteEnvironment: 422, // the environment is the default one
  deleteVariation: 404, // the experiment has been deleted by then
  inviteMember: 422, // the invited user has a password
  retryWebhookDelivery: 422, // the delivery has not failed
  revertAuditEntry: 404,
  // Their URLs contain a secret that differs between demos.
  ...{ showPreviewScript: 404, showSharedResults: 404, showSharedGoal: 404, showSharedPlot: 404 },
};

it('samples in curl work on the demo, if samples that create records run first', async () => {
  const all = inLanguage('curl').filter(({ id }) => id !== 'streamPayload');
  const isDeletion = ({ source }: Sample): boolean => source.includes('-X DELETE');
  const isCreation = ({ id }: Sample): boolean => /^(create|add|collect)/.test(id);
  const ordered = [
    ...all.filter(isCreation),
    ...all.filter((sample) => !isCreation(sample) && !isDeletion(sample)),
    ...all.filter(isDeletion).reverse(),
  ];
  const failed: Record<string, number> = {};
  for (const { id, source } of ordered) {
    const command = source.replace('curl -sS', `curl -sS -o /dev/null -w '%{http_code}'`);
    const { stdout: status } = await run('sh', ['-c', command], { env: environment });
    if (!status.startsWith('2')) {
      failed[id] = Number(status);
    }
  }
  expect(failed).toEqual(FAILING);
});

it.each(['Python', 'TypeScript'])(
  'samples in %s do not parse the response body if there is none',
  (label) => {
    expect(sourceOf('trackConversions', label)).toMatch(/requests\.post|fetch/);
    expect(sourceOf('trackConversions', label)).not.toContain('.json()');
  },
);

it('samples in Python have valid syntax', async () => {
  for (const { id, source } of inLanguage('Python')) {
    writeFileSync(join(folder, `${id}.py`), source);
  }
  const files = inLanguage('Python').map(({ id }) => `${id}.py`);
  await run('python3', ['-m', 'py_compile', ...files], { cwd: folder });
});

it('samples in TypeScript compile with the client', async () => {
  for (const { id, source } of inLanguage('TypeScript')) {
    writeFileSync(join(folder, `${id}.ts`), `${source}\nexport {};\n`);
  }
  const compilerOptions = {
    ...{ target: 'ES2022', module: 'preserve', moduleResolution: 'bundler', lib: ['ES2023', 'DOM'] },
    ...{ types: ['node'], strict: true, noEmit: true, skipLibCheck: true, noUnusedLocals: true },
    paths: { '@gosset/client': [join(ROOT, 'clients/typescript/src/index.ts')] },
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', '.'], { cwd: folder }).catch(
    (failure: unknown) => failure as { stdout: string },
  );
  expect(stdout).toBe('');
});
