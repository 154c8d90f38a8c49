import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { loadConfig } from '../../src/config/config';
import { SETTINGS } from '../../src/config/settings';
import { contextFiles, DockerBuild, instructionsOf, isIgnored } from '../support/docker-build';
import { ROOT } from '../support/documents';
import { freePort } from '../support/server-process';
import { eventually } from '../support/waiting';

/* Builds the image with the steps of the Dockerfile, from the files that git and .dockerignore include, and runs it. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Service {
  image?: string;
  command?: string[];
  environment: Record<string, string | number | null>;
  volumes?: string[];
  logging?: { driver: string; options: Record<string, string> };
}

interface Compose {
  services: Record<'migrate' | 'server' | 'mysql' | 'redis', Service>;
  networks: { default: { ipam: { config: [{ subnet: string; gateway: string }] } } };
}

const compose = load(read('docker-compose.yml')) as Compose;

describe('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-docker-'));
  const docker = new DockerBuild(folder);
  let stage: ReturnType<DockerBuild['build']>;
  let workdir: string;

  beforeAll(() => {
    stage = docker.build();
    workdir = join(stage.folder, stage.workdir);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('contains what the server needs, and nothing else', () => {
    expect(readdirSync(workdir).sort()).toEqual(['LICENSE', 'data', 'dist', 'node_modules', 'package.json']);
    expect(readdirSync(join(workdir, 'node_modules'))).not.toContain('jest');
  });

  it('migrates and serves, with the commands of its health check and docker-compose.yml', async () => {
    const port = String(await freePort());
    const env = { ...docker.environment(), PORT: port, DEMO_PORT: '0', SHUTDOWN_GRACE_SECONDS: '0' };
    const [program = '', ...args] = compose.services.migrate.command ?? [];
    const migrated = spawnSync(program, args, { cwd: workdir, env, encoding: 'utf8' });
    expect(migrated.status === 0 ? '' : migrated.stderr).toBe('');

    const [command = '', ...rest] = stage.command;
    const server = spawn(command, rest, { cwd: workdir, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const exit = new Promise<number | null>((resolve) => server.once('exit', resolve));
    let problems = '';
    server.stderr.on('data', (chunk) => (problems += String(chunk)));
    const address = `http://127.0.0.1:${port}`;
    const ready = async (): Promise<boolean> =>
      (await fetch(`${address}/health/ready`).catch(() => null))?.ok === true;
    await eventually(async () => server.exitCode !== null || (await ready()));
    try {
      expect((await ready()) ? '' : problems || 'not ready').toBe('');
      for (const path of ['/', '/docs', '/docs/openapi.json', '/login']) {
        expect([path, (await fetch(address + path)).status]).toEqual([path, 200]);
      }
      await setUp(address, workdir, env);
      const [check = '', ...checkArgs] = stage.healthCheck;
      expect(spawnSync(check, checkArgs, { cwd: workdir, env }).status).toBe(0);
      expect(readdirSync(join(workdir, 'data'))).toContain('gosset.sqlite');
    } finally {
      server.kill('SIGTERM');
      await exit;
    }
  });
});

describe('the health check of the image', () => {
  const [, rest = ''] = instructionsOf(read('Dockerfile')).find(([name]) => name === 'HEALTHCHECK') ?? [];
  const [check = '', ...args] = JSON.parse(rest.replace(/^.*?CMD /, '')) as string[];
  const statusWith = async (worker: string): Promise<number | null> => {
    const env = { ...process.env, WORKER: worker, PORT: String(await freePort()) };
    return spawnSync(check, args, { env }).status;
  };

  it('fails if no server responds, except in a worker process, which serves no requests', async () => {
    expect([await statusWith(''), await statusWith('off'), await statusWith('only')]).toEqual([1, 1, 0]);
  });

  it('asks for delivery, because proxies stop sending requests to a container that is unhealthy', () => {
    expect(args.join(' ')).toContain('/health/delivery`');
  });
});

/** Creates the first user as README.md and the sign-in page describe. */
async function setUp(address: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const login = async (): Promise<string> => (await fetch(`${address}/login`)).text();
  const [, command = '', options = ''] =
    /^docker compose exec server (node dist\/src\/admin\.js setup) (--.*)$/m.exec(read('README.md')) ?? [];
  expect(await login()).toContain(command);
  const args = [...options.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const [program = '', ...first] = command.split(' ');
  const given = [...first, ...args, '--password-stdin'];
  const made = spawnSync(program, given, { cwd, env, encoding: 'utf8', input: 'correct horse battery' });
  expect([made.status, made.stdout]).toEqual([0, expect.stringContaining('you@example.com')]);
  expect(await login()).not.toContain(command);
}

describe('docker-compose.yml', () => {
  const { server, migrate } = compose.services;

  it('passes all settings', () => {
    expect(Object.keys(server.environment).sort()).toEqual(Object.keys(SETTINGS).sort());
    expect(migrate.environment).toEqual(server.environment);
  });

  it('sets required variables to values that the server accepts', () => {
    const secrets: Partial<Record<string, string>> = {
      SESSION_SECRET: 's'.repeat(32),
      MYSQL_PASSWORD: 'password',
    };
    const filled = Object.entries(server.environment).map(([name, value]) => [
      name,
      String(value ?? '').replace(
        /\$\{(\w+)(?::-([^}]*))?(?::\?[^}]*)?\}/g,
        (_, key: string, fallback?: string): string => secrets[key] ?? fallback ?? '',
      ),
    ]);
    const config = loadConfig(Object.fromEntries(filled) as NodeJS.ProcessEnv);
    const [{ subnet, gateway }] = compose.networks.default.ipam.config;
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      trustProxy: [gateway],
      metricsAllow: ['127.0.0.1', '::1', subnet],
    });
  });

  it('and docker-compose.clickhouse.yml rotate the log of every service', () => {
    const { services } = load(read('docker-compose.clickhouse.yml')) as Pick<Compose, 'services'>;
    const all: Record<string, Service> = { ...services, ...compose.services };
    const rotated = { driver: 'json-file', options: { 'max-size': '50m', 'max-file': '5' } };
    for (const [name, { logging }] of Object.entries(all)) {
      expect([name, logging]).toEqual([name, rotated]);
    }
  });

  it('and the Dockerfile pin images to a release', () => {
    const bases = instructionsOf(read('Dockerfile'))
      .filter(([name]) => name === 'FROM')
      .map(([, rest]) => rest.split(' ')[0] ?? '')
      .filter((image) => image.includes(':'));
    const images = Object.values(compose.services).flatMap(({ image }) => image ?? []);
    expect(bases).toHaveLength(2);
    expect(images).toHaveLength(2);
    for (const image of [...bases, ...images]) {
      expect(image).toMatch(/^[a-z]+:\d+\.\d+(\.\d+)?(-[a-z]+)?(@sha256:[0-9a-f]{64})?$/);
    }
  });
});

describe('image digests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-digests-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Runs the commands from docs/production.md against a registry that returns `digest` for every image. */
  function pin(digest: string): string[] {
    const [, commands = ''] =
      /```sh\n([^`]*--lock-image-digests[^`]*)```/.exec(read('docs/production.md')) ?? [];
    const docker = `[ "$1" = compose ] && echo "$@" || echo ${digest}`;
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${docker}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const { status } = spawnSync('sh', ['-e', '-c', commands], { cwd: folder, env });
    expect(status).toBe(0);
    return instructionsOf(readFileSync(join(folder, 'Dockerfile'), 'utf8'))
      .filter(([name, rest]) => name === 'FROM' && rest.includes(':'))
      .map(([, rest]) => rest);
  }

  it('can be pinned and replaced with the documented commands', () => {
    writeFileSync(join(folder, 'Dockerfile'), read('Dockerfile'));
    for (const digest of ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`)) {
      const image = `node:24.21-slim@${digest}`;
      expect(pin(digest)).toEqual([`${image} AS base`, `${image} AS runtime`]);
    }
    const command = readFileSync(join(folder, 'docker-compose.override.yml'), 'utf8');
    expect(command).toBe('compose -f docker-compose.yml config --lock-image-digests\n');
  });
});

describe('the restore with Docker Compose', () => {
  const [, commands = ''] =
    /```sh\n(docker compose stop server\n[^`]*)```/.exec(read('docs/production.md')) ?? [];

  it('empties the cache folder, which is in the volume, and skips assigned numbers before it starts the server', () => {
    const { cacheDir } = loadConfig({
      SESSION_SECRET: 's'.repeat(32),
      DATABASE_URL: 'mysql://gosset@mysql/gosset',
    });
    const steps = commands.trim().split('\n');
    const run = 'docker compose run --rm --no-deps server';
    expect(steps.slice(-4)).toEqual([
      `${run} rm -rf ${cacheDir}`,
      `${run} node dist/src/admin.js db:migrate`,
      `${run} node dist/src/admin.js db:after-restore`,
      'docker compose up -d',
    ]);
    const { volumes } = compose.services.server;
    const [, workdir] = instructionsOf(read('Dockerfile')).findLast(([name]) => name === 'WORKDIR') ?? [];
    expect(volumes).toEqual([`gosset-data:${join(workdir ?? '', dirname(cacheDir))}`]);
  });
});

describe('.dockerignore', () => {
  it('is interpreted as Docker interprets it', () => {
    const text = '# a\n*.md\n!README.md\ndocs\n**/*.log\nsrc/**/x?.ts\n';
    const ignored = ['a.md', 'docs/a.ts', 'a/b.log', 'b.log', 'src/x1.ts', 'src/a/b/x2.ts'];
    const kept = ['README.md', 'a/b.md', 'a/docs', 'docs2', 'src/x.ts', '# a'];
    expect([...ignored, ...kept].filter((path) => isIgnored(path, text))).toEqual(ignored);
  });

  it('excludes tests, documents and files that could contain secrets', () => {
    const rest = contextFiles();
    expect(rest).toContain('scripts/build.mjs');
    expect(rest.filter((path) => /^(docs|test|clients|examples|bench)\/|\.spec\.|\.md$/.test(path))).toEqual(
      [],
    );
    const text = read('.dockerignore');
    const secret = ['.env', '.env.local', 'data/gosset.sqlite', 'copy.sqlite', 'backup/gosset.sqlite-wal'];
    expect(secret.filter((path) => !isIgnored(path, text))).toEqual([]);
  });
});
