import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Person, TestApi, World } from '../support/api';
import { Cells } from '../support/cells';
import { BOTH, LIST } from '../support/mcp-server';
import { Maker } from '../support/scene';
import { ServerProcess } from '../support/server-process';

/*
 * The built server in one file; most tests run the sources instead. Decorator metadata can get lost if a package is
 * included twice, so these tests compare the OpenAPI document, the validation and the tools.
 */

let api: TestApi;
let world: World;
let built: ServerProcess;
beforeAll(async () => {
  api = await TestApi.start();
  world = await api.world();
  built = await (
    await ServerProcess.spawn({
      DATABASE_URL: api.databaseUrl,
      PUBLIC_URL: api.config.publicUrl,
      // Makes V8 reject the code cache, as with another version of Node.js.
      NODE_OPTIONS: '--stack-trace-limit=20',
    })
  ).ready();
});
afterAll(async () => {
  built.kill('SIGKILL');
  await built.exit;
  await api.close();
});

/** The response of the built server to a request. */
async function answerTo({ token }: Person, method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...BOTH };
  const response = await fetch(`${built.address}${path}`, { method, headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

it('the built server prints no warnings, even without its code cache', () => {
  expect(built.stderr).toBe('');
});

it('the built server has the same OpenAPI document as the sources', async () => {
  const { body } = await api.as(null).get('//docs/openapi.json');
  const response = await fetch(`${built.address}/docs/openapi.json`);
  expect(await response.json()).toEqual(body);
});

it.each([
  ['pages', { name: 7, urls: 'x', unknown: 1 }],
  ['goals', { type: 'none', properties: [{}] }],
  ['experiments', { name: '', variations: [{ name: 3, code: { css: [] } }], conditions: { and: 1 } }],
])('the built server reports the same validation errors as the sources for %s', async (resource, body) => {
  const { editor } = world.people;
  const { status, text } = await editor.client.post(`${world.project}/${resource}`, body);
  expect(status).toBe(422);
  expect(await answerTo(editor, 'POST', `/api${world.project}/${resource}`, body)).toEqual({ status, text });
});

it('the built server creates and returns the same record as the sources', async () => {
  const { editor } = world.people;
  const body = { name: 'Home' };
  const { status, text } = (await answerTo(editor, 'POST', `/api${world.project}/pages`, body)) as {
    status: number;
    text: string;
  };
  expect(status).toBe(201);
  const created = JSON.parse(text) as { id: number };
  expect((await editor.client.get(`${world.project}/pages/${created.id}`)).body).toEqual(created);
});

it('the built server offers the same tools to assistants as the sources', async () => {
  const { editor } = world.people;
  const { status, text } = await editor.client.post('//mcp', LIST, BOTH);
  expect(text).toContain('"tools":');
  expect(await answerTo(editor, 'POST', '/mcp', LIST)).toEqual({ status, text });
});

it('the built server formats results like the sources, which use regular expressions with non-ASCII characters', async () => {
  const { editor } = world.people;
  const make = new Maker(editor.client, world.project);
  await world.people.admin.client.patch(world.project, { min_runtime_days: 0 });
  const experiment = await make.ready({ variations: [{ name: '\u00efle' }, { name: '\uff1d1+1' }] });
  const [a, b] = experiment.variations.map(({ id }: { id: number }) => ({
    variation: id,
    day: '2026-05-01',
  }));
  const [{ id: goal }] = experiment.goals;
  await new Cells(api, experiment.id)
    .entered(a, 1_000)
    .entered(b, 1_000)
    .converted(goal, a, { converters: 800 })
    .converted(goal, b, { converters: 100 })
    .store();
  const { body: info } = await editor.client.get(`${experiment.path}/results/info`);
  const page = await (await fetch(`${built.address}/share/${info.share_token}`)).text();
  const [, comparison] = /, ([^,]* lower than [^,]*80\.0)/.exec(page) ?? [];
  expect(comparison).toMatch(/^87\.5\s% lower/);
  const path = `${experiment.path}/results/goal/${goal}/download`;
  const { text } = (await answerTo(editor, 'GET', `/api${path}`)) as { text: string };
  expect(text).toContain(',\u00efle,');
  expect(text).toContain(",'\uff1d1+1,");
  expect(text).toBe((await editor.client.get(path)).text);
});

/** The scripts, style sheets and icons that a page links to. */
const FILES = /(?:src|href)="([^"]+\.(?:js|css|svg|png)(?:\?[^"]*)?)"/g;

it.each(['/docs', '/login'])(
  'the built server serves %s with all the files that it links to',
  async (page) => {
    const html = await (await fetch(`${built.address}${page}`)).text();
    const files = [...html.matchAll(FILES)].map(([, file = '']) => new URL(file, built.address + page));
    expect(files.length).toBeGreaterThan(1);
    for (const { pathname, search } of files) {
      const expected = await api.as(null).get(`/${pathname}${search}`);
      const response = await fetch(`${built.address}${pathname}${search}`);
      expect({ pathname, status: response.status, type: response.headers.get('content-type') }).toEqual({
        pathname,
        status: 200,
        type: expected.headers['content-type'],
      });
      expect(await response.text()).toBe(expected.text);
    }
  },
);

it('the built server starts with the V8 code cache from the build', () => {
  const script = `
    const { Bundle, limitHeapGrowth } = require('./platform/bundle');
    limitHeapGrowth();
    process.stdout.write(String(Bundle.read('..', 'gosset').isCached));`;
  const options = { cwd: join(__dirname, '../../dist/src'), encoding: 'utf8' } as const;
  expect(execFileSync(process.execPath, ['-e', script], options)).toBe('true');
});

/** The bundler's calls that set function names, without those that set class names, which run only once. */
const NAMING = /(?<!static\s*\{\s*)__name\((?!this\b)/g;

it('the bundle calls no helper for each function it creates', () => {
  const text = readFileSync(join(__dirname, '../../dist/gosset.js'), 'latin1');
  expect(text).toMatch(/static\s*\{\s*__name\(this,\s*"ScopeStore"\)/);
  expect(text.match(NAMING)).toBeNull();
});

it('the bundle is ASCII, the encoding in which it is read', () => {
  const bytes = readFileSync(join(__dirname, '../../dist/gosset.js'));
  expect(bytes.findIndex((byte) => byte > 127)).toBe(-1);
});
