import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestApi } from '../support/api';

/* Third-party tools process the served document with default options. */

const BINARIES = join(__dirname, '../../node_modules/.bin');

let api: TestApi;
let text: string;
let folder: string;

beforeAll(async () => {
  api = await TestApi.start({ PUBLIC_URL: 'https://ab.gosset.test' });
  ({ text } = await api.as(null).get('//docs/openapi.json'));
  folder = mkdtempSync(join(tmpdir(), 'gosset-openapi-'));
  writeFileSync(join(folder, 'openapi.json'), text);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api.close();
});

/** The output of the tool if it failed, otherwise empty. */
function complaintsOf(tool: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(join(BINARIES, tool), args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

it('openapi-typescript generates types that compile', () => {
  expect(complaintsOf('openapi-typescript', 'openapi.json', '--output', 'types.ts')).toBe('');
  expect(complaintsOf('tsc', '--noEmit', '--strict', '--ignoreConfig', 'types.ts')).toBe('');
});

it('updates have no defaults, because absent fields stay unchanged', () => {
  const { paths, components } = JSON.parse(text) as OpenAPIObject;
  interface Body {
    properties?: Record<string, { default?: unknown }>;
  }
  const bodyOf = (operation: { requestBody?: unknown } | undefined): Body | undefined => {
    const name = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(operation?.requestBody ?? null))?.[1];
    return name === undefined ? undefined : (components?.schemas?.[name] as Body);
  };
  const defaultsOf = (body: Body | undefined): string[] =>
    Object.entries(body?.properties ?? {}).flatMap(([field, schema]) => ('default' in schema ? [field] : []));
  const updates = Object.values(paths).flatMap(({ patch, put }) => [bodyOf(patch), bodyOf(put)]);
  expect(updates.filter((body) => body !== undefined).length).toBeGreaterThan(10);
  expect(updates.flatMap(defaultsOf)).toEqual([]);
  expect(defaultsOf(bodyOf(paths['/api/projects/{project}/experiments'].post))).not.toEqual([]);
});

it('Redocly finds no errors with its recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, config });
  expect(
    problems
      .filter(({ severity }) => severity === 'error')
      .map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''}: ${message}`),
  ).toEqual([]);
});

it('no schema is recursive, because Portman does not support it', () => {
  const { components } = JSON.parse(text) as OpenAPIObject;
  const referred = (schema: unknown): string[] =>
    [...JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  const direct = new Map(
    Object.entries(components?.schemas ?? {}).map(([name, schema]) => [name, referred(schema)] as const),
  );
  const circles = [...direct.keys()].filter((name) => {
    const reached = new Set<string>();
    const ahead = [...(direct.get(name) ?? [])];
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      if (!reached.has(next)) {
        reached.add(next);
        ahead.push(...(direct.get(next) ?? []));
      }
    }
    return reached.has(name);
  });
  expect(circles).toEqual([]);
});
