/** @jest-environment node */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * The modules that a process loads at startup. Packages that only some processes or requests need are loaded on first
 * use.
 */

const DIST = join(__dirname, '../../dist/src');

/** The packages that entry points of the built server load on import. */
function packagesOf(...files: string[]): Set<string> {
  const script = `
    require('reflect-metadata');
    ${files.map((file) => `require(${JSON.stringify(join(DIST, file))});`).join('\n')}
    process.stdout.write('\\n' + Object.keys(require.cache).join('\\n'));`;
  return packagesIn(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
}

/** The packages that an admin command has loaded by the time it ends. */
function packagesOfCommand(name: string): Set<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-loaded-'));
  const script = `
    process.argv.splice(1, 0, 'admin');
    process.on('exit', () => process.stdout.write('\\n' + Object.keys(require.cache).join('\\n')));
    require(${JSON.stringify(join(DIST, 'admin-command.js'))}).main();`;
  const env = { ...process.env, DATABASE_URL: `sqlite:${join(folder, 'x.sqlite')}` };
  const options = { cwd: folder, env, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script, name], options);
  rmSync(folder, { recursive: true });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return packagesIn(stdout);
}

function packagesIn(cache: string): Set<string> {
  const names = cache.split('\n').map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

const loaded = (packages: Set<string>, ...names: string[]): string[] =>
  names.filter((name) => packages.has(name));

it('a server without MySQL, Redis and MCP loads few packages', () => {
  const packages = packagesOf('app.module.js', 'platform/application.js', 'entities.js');
  expect(packages).toContain('fastify');
  expect(
    loaded(
      packages,
      'mysql2',
      'ioredis',
      'openid-client',
      'maxmind',
      '@modelcontextprotocol/server',
      'zod',
      'css-tree',
      'acorn',
    ),
  ).toEqual([]);
});

it('the worker process does not load the HTTP server', () => {
  const packages = packagesOf('worker.module.js', 'entities.js');
  expect(packages).toContain('typeorm');
  expect(loaded(packages, 'fastify', 'preact', 'mysql2', 'ioredis', 'css-tree', 'acorn')).toEqual([]);
});

it('the MCP program does not load the application', () => {
  const packages = packagesOf('mcp/program.js', 'mcp/server.js');
  expect(packages).toContain('ajv');
  const ofApplication = ['@nestjs/common', '@nestjs/swagger', 'rxjs', 'class-validator', 'typeorm'];
  expect(loaded(packages, ...ofApplication)).toEqual([]);
});

it('commands about users do not load the application', () => {
  const packages = packagesOfCommand('users:list');
  expect(packages).toContain('typeorm');
  const ofApplication = ['fastify', '@nestjs/core', '@nestjs/swagger', 'class-validator', 'mysql2'];
  expect(loaded(packages, ...ofApplication)).toEqual([]);
});

it('other commands load the application', () => {
  expect(packagesOfCommand('teams:list')).toContain('fastify');
});
