import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from './config';
import { resolveSessionSecret } from './session-secret';

function problemsOf(environment: Record<string, string>): string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

describe('loadConfig', () => {
  it('starts a working server with no variable set', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      database: { engine: 'sqlite', file: 'data/gosset.sqlite' },
      redisUrl: null,
      worker: 'inline',
      rateLimitPerMinute: 60,
      trustProxy: false,
      sessionSecret: null,
      metricsAllow: ['127.0.0.1', '::1'],
      logLevel: 'info',
    });
  });

  it('takes an empty variable for an absent one', () => {
    expect(loadConfig({ PORT: '', REDIS_URL: ' ' })).toMatchObject({ port: 3000, redisUrl: null });
  });

  it.each([
    [undefined, 300_000],
    ['0', 0],
    ['600', 600],
  ])('limits delivery with DELIVERY_LIMIT_PER_MINUTE=%s to %s', (text, limit) => {
    expect(loadConfig({ DELIVERY_LIMIT_PER_MINUTE: text }).deliveryLimitPerMinute).toBe(limit);
  });

  it('follows the port in the public address, and leaves out a slash at its end', () => {
    expect(loadConfig({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
    expect(loadConfig({ PUBLIC_URL: 'https://ab.example.com/' }).publicUrl).toBe('https://ab.example.com');
  });

  it.each([
    ['sqlite:data/x.sqlite', { engine: 'sqlite', file: 'data/x.sqlite' }],
    ['sqlite:/var/lib/x.sqlite', { engine: 'sqlite', file: '/var/lib/x.sqlite' }],
    ['sqlite:///var/lib/x.sqlite', { engine: 'sqlite', file: '/var/lib/x.sqlite' }],
    ['mysql://u:p@db:3306/name', { engine: 'mysql', url: 'mysql://u:p@db:3306/name' }],
  ])('reads DATABASE_URL %s', (text, target) => {
    expect(loadConfig({ DATABASE_URL: text }).database).toEqual(target);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '1e3'],
    ['PUBLIC_URL', 'ab.example.com'],
    ['PUBLIC_URL', 'ftp://ab.example.com'],
    ['DATABASE_URL', 'postgres://db/name'],
    ['DATABASE_URL', 'mysql://db'],
    ['REDIS_URL', 'http://redis'],
    ['WORKER', 'yes'],
    ['RATE_LIMIT_PER_MINUTE', '-1'],
    ['DELIVERY_LIMIT_PER_MINUTE', '1e6'],
    ['DELIVERY_LIMIT_PER_MINUTE', '1000000001'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['METRICS_ALLOW', 'localhost'],
    ['SESSION_SECRET', 'short'],
    ['LOG_LEVEL', 'verbose'],
  ])('refuses %s=%s and names it', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringContaining(name)]);
  });

  it('tells all problems at once', () => {
    expect(problemsOf({ PORT: 'x', WORKER: 'x', LOG_LEVEL: 'x' })).toHaveLength(3);
  });

  it('takes lists of addresses and subnets', () => {
    expect(loadConfig({ TRUST_PROXY: '10.0.0.0/8, fd00::/8' }).trustProxy).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
    ]);
  });
});

describe('resolveSessionSecret', () => {
  it('makes one beside the SQLite file, once, for nobody else to read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gosset-secret-'));
    const config = loadConfig({ DATABASE_URL: `sqlite:${join(folder, 'data', 'x.sqlite')}` });
    const first = resolveSessionSecret(config).sessionSecret;
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(resolveSessionSecret(config).sessionSecret).toBe(first);
    expect(statSync(join(folder, 'data', 'session-secret')).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
  });

  it('keeps the one that is given', () => {
    const given = 'x'.repeat(32);
    expect(resolveSessionSecret(loadConfig({ SESSION_SECRET: given })).sessionSecret).toBe(given);
  });

  it('is required on MySQL, where several processes share it', () => {
    expect(() => resolveSessionSecret(loadConfig({ DATABASE_URL: 'mysql://db/name' }))).toThrow(
      'SESSION_SECRET',
    );
  });
});
