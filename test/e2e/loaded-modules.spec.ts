/** @jest-environment node */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/* What a process loads at start: packages that only some processes or requests use wait until they are used. */

const DIST = join(__dirname, '../../dist/src');

/** The packages that entry points of the built server load before they do anything. */
function packagesOf(...files: string[]): Set<string> {
  const script = `
    require('reflect-metadata');
    ${files.map((file) => `require(${JSON.stringify(join(DIST, file))});`).join('\n')}
    process.stdout.write(Object.keys(require.cache).join('\\n'));`;
  const cache = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  const names = cache.split('\n').map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

const loaded = (packages: Set<string>, ...names: string[]): string[] =>
  names.filter((name) => packages.has(name));

it('are few for a server without MySQL, Redis and assistants', () => {
  const packages = packagesOf('app.module.js', 'platform/application.js', 'entities.js');
  expect(packages).toContain('fastify');
  expect(
    loaded(packages, 'mysql2', 'ioredis', '@modelcontextprotocol/server', 'zod', 'css-tree', 'acorn'),
  ).toEqual([]);
});

it('are no server for a process that attributes alone', () => {
  const packages = packagesOf('worker.module.js', 'entities.js');
  expect(packages).toContain('typeorm');
  expect(loaded(packages, 'fastify', 'preact', 'mysql2', 'ioredis', '@growthbook/growthbook')).toEqual([]);
});
