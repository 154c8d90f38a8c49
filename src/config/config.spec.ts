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
  it('returns a working configuration if no variable is set', () => {
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
      webhookAllow: [],
      logLevel: 'info',
    });
  });

  it.each([
    [{}, 2_000],
    [{ MAX_CONNECTIONS: '1001' }, 500],
    [{ MAX_CONNECTIONS: '1001', MAX_STREAMS: '1000' }, 1_000],
    [{ MAX_STREAMS: '0' }, 0],
  ])('with %j leaves connections for requests in addition to %i streams', (environment, streams) => {
    expect(loadConfig(environment).maxStreams).toBe(streams);
  });

  it('rejects a stream limit that could use all connections', () => {
    expect(problemsOf({ MAX_CONNECTIONS: '1000', MAX_STREAMS: '1000' })).toEqual([
      'MAX_STREAMS (1000) must be lower than MAX_CONNECTIONS (1000): each stream is a connection.',
    ]);
  });

  it.each([
    [{}, 'data/cache'],
    [{ DATABASE_URL: 'sqlite:/var/lib/gosset/ab.sqlite' }, '/var/lib/gosset/cache'],
    [{ DATABASE_URL: 'mysql://u:p@db/name' }, 'data/cache'],
    [{ CACHE_DIR: '/var/cache/gosset' }, '/var/cache/gosset'],
  ])('with %j stores copies of revisions in %s', (environment, folder) => {
    expect(loadConfig(environment).cacheDir).toBe(folder);
  });

  it('treats an empty variable as absent', () => {
    expect(loadConfig({ PORT: '', REDIS_URL: ' ' })).toMatchObject({ port: 3000, redisUrl: null });
  });

  it.each([
    [undefined, 300_000],
    ['0', 0],
    ['600', 600],
  ])('limits delivery with DELIVERY_LIMIT_PER_MINUTE=%s to %s', (text, limit) => {
    expect(loadConfig({ DELIVERY_LIMIT_PER_MINUTE: text }).deliveryLimitPerMinute).toBe(limit);
  });

  it('uses the port in the public URL, and removes a trailing slash', () => {
    expect(loadConfig({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
    expect(loadConfig({ PUBLIC_URL: 'https://ab.example.com/' }).publicUrl).toBe('https://ab.example.com');
    // The host name as encoded by Python's "idna" codec.
    expect(loadConfig({ PUBLIC_URL: 'https://ab.例え.jp/Tests/' }).publicUrl).toBe(
      'https://ab.xn--r8jz45g.jp/Tests',
    );
  });

  it.each([
    [{}, 3001, 'http://localhost:3001'],
    [{ PORT: '8080' }, 8081, 'http://localhost:8081'],
    [{ PORT: '0' }, 0, null],
    [{ PORT: '65535' }, 0, null],
    [{ PORT: '3000', PUBLIC_URL: 'http://host:3001' }, 3002, 'http://host:3002'],
    [{ PUBLIC_URL: 'https://ab.example.com' }, 3001, 'https://ab.example.com:3001'],
    [{ PUBLIC_URL: 'https://ab.example.com/ab/' }, 3001, 'https://ab.example.com:3001'],
    [{ DEMO_PORT: '4000' }, 4000, 'http://localhost:4000'],
    [{ DEMO_PORT: '0' }, 0, null],
    [{ DEMO_PORT: '0', DEMO_URL: 'https://shop.example.com' }, 0, 'https://shop.example.com'],
    [{ DEMO_URL: 'https://shop.example.com/' }, 3001, 'https://shop.example.com'],
  ])('with %j serves the demo shop on port %s with the public URL %s', (environment, port, url) => {
    expect(loadConfig(environment)).toMatchObject({ demoPort: port, demoUrl: url });
  });

  it.each<Record<string, string>>([
    { DEMO_PORT: '65536' },
    { DEMO_PORT: '-1' },
    { DEMO_PORT: 'x' },
    { DEMO_PORT: '3000' },
    { DEMO_URL: 'shop.example.com' },
    { DEMO_URL: 'ftp://shop.example.com' },
    { DEMO_URL: 'https://shop.example.com/shop' },
    { DEMO_URL: 'https://shop.example.com/?a=b' },
    { DEMO_URL: 'http://localhost:3000' },
    { PUBLIC_URL: 'https://ab.example.com', DEMO_URL: 'https://ab.example.com:443' },
    { PUBLIC_URL: 'http://host:4000', DEMO_PORT: '4000' },
  ])('rejects a demo shop without a separate origin: %j', (environment) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining('DEMO_')]);
  });

  it.each([
    ['sqlite:data/x.sqlite', { engine: 'sqlite', file: 'data/x.sqlite' }],
    ['sqlite:/var/lib/x.sqlite', { engine: 'sqlite', file: '/var/lib/x.sqlite' }],
    ['sqlite:///var/lib/x.sqlite', { engine: 'sqlite', file: '/var/lib/x.sqlite' }],
    ['sqlite:/srv/c#/~x.sqlite', { engine: 'sqlite', file: '/srv/c#/~x.sqlite' }],
    ['mysql://u:p@db:3306/name', { engine: 'mysql', url: 'mysql://u:p@db:3306/name' }],
  ])('reads DATABASE_URL %s', (text, target) => {
    expect(loadConfig({ DATABASE_URL: text }).database).toEqual(target);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '1e3'],
    ['PUBLIC_URL', 'ab.example.com'],
    ['PUBLIC_URL', 'ftp://ab.example.com'],
    ['PUBLIC_URL', 'https://ab.example.com/?'],
    ['PUBLIC_URL', 'https://ab.example.com/#'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:4318/?'],
    ['HOST', 'localhost:3000'],
    ['HOST', 'http://0.0.0.0'],
    ['HOST', '[::1]'],
    ['HOST', '*'],
    ['DATABASE_URL', 'postgres://db/name'],
    ['DATABASE_URL', 'sqlite:data/'],
    ['DATABASE_URL', 'sqlite:/'],
    ['DATABASE_URL', 'sqlite://data/x.sqlite'],
    ['DATABASE_URL', 'sqlite://x.sqlite'],
    ['DATABASE_URL', 'sqlite:data/x.sqlite?mode=ro'],
    ['DATABASE_URL', 'sqlite:~/x.sqlite'],
    ['DATABASE_URL', 'sqlite:~'],
    ['DATABASE_URL', 'sqlite:file:data/x.sqlite'],
    ['DATABASE_URL', 'sqlite:"data/x.sqlite"'],
    ['DATABASE_URL', "sqlite:'data/x.sqlite'"],
    ['DATABASE_URL', 'mysql://db'],
    ['REDIS_URL', 'http://redis'],
    ['WORKER', 'yes'],
    ['RATE_LIMIT_PER_MINUTE', '-1'],
    ['EVENTS_PER_MINUTE', '-1'],
    ['EVENTS_PER_VISITOR', '-1'],
    ['DELIVERY_LIMIT_PER_MINUTE', '1e6'],
    ['DELIVERY_LIMIT_PER_MINUTE', '1000000001'],
    ['OIDC_ISSUER', 'http://login.example.com'],
    ['OIDC_ISSUER', 'https://login.example.com/?a=b'],
    ['OIDC_ISSUER', 'login.example.com'],
    ['OIDC_AUTO_CREATE', 'viewer'],
    ['OIDC_AUTO_CREATE', '0:viewer'],
    ['OIDC_AUTO_CREATE', '1:owner'],
    ['PASSWORD_SIGN_IN', 'no'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '::/00'],
    ['METRICS_ALLOW', 'localhost'],
    ['SESSION_SECRET', 'short'],
    ['LOG_LEVEL', 'verbose'],
  ])('rejects %s=%s and names the variable', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringContaining(name)]);
  });

  it('names the proxies that would cover every client, but lets every client read metrics', () => {
    expect(problemsOf({ TRUST_PROXY: '127.0.0.2/32, 10.0.0.0/0,::/0', METRICS_ALLOW: '0.0.0.0/0' })).toEqual([
      'TRUST_PROXY must list addresses or subnets, such as 10.0.0.0/8, and no subnet /0, because every client could then choose its own address; invalid: 10.0.0.0/0, ::/0.',
    ]);
  });

  it.each([
    ['REDIS_URL', 'redis//:s3cret@127.0.0.1:6379'],
    ['REDIS_URL', 'http://:s3cret@127.0.0.1:6379'],
    ['REDIS_URL', 'redis://:s3cret@127.0.0.1:port'],
    ['REDIS_URL', 'redis://:s3cret%@127.0.0.1:6379'],
    ['REDIS_URL', 'redis://:s3cret@127.0.0.1:6379/first'],
    ['REDIS_URL', 'redis://:#s3cret@127.0.0.1:6379'],
    ['REDIS_URL', 'redis:s3cret'],
    ['DATABASE_URL', 'mysql//gosset:s3cret@127.0.0.1/gosset'],
    ['DATABASE_URL', 'mysql://gosset:s3cret@127.0.0.1'],
    ['DATABASE_URL', 'mysql://gosset:s3cret@127.0.0.1:port/gosset'],
    ['DATABASE_URL', 'mysql://gosset:s3cret%@127.0.0.1:1/gosset'],
    ['DATABASE_URL', 'postgres://gosset:s3cret@127.0.0.1/gosset'],
    ['DATABASE_URL', 'mysql://gosset:s3cret@127.0.0.1/gosset?ssl=true'],
    ['PUBLIC_URL', 'https://gosset:s3cret@ab.example.com'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://gosset:s3cret@127.0.0.1:4318'],
  ])('rejects %s=%s without showing the value, because it contains a password', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toEqual([expect.stringContaining(`${name} must be `)]);
    expect(problems.join()).not.toContain('s3cret');
  });

  it.each([
    's3cret',
    'x-api-key=',
    'x-api-key=s3cret%',
    'x-api-key=s3cret%0Ax',
    'x-api-key=s3cret%20',
    'x-team=web, x-api-key=s3cret%C3%A9',
  ])('rejects OTEL_EXPORTER_OTLP_HEADERS %s without showing the value', (headers) => {
    const problems = problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: headers });
    expect(problems).toEqual([expect.stringContaining('OTEL_EXPORTER_OTLP_HEADERS must list headers')]);
    expect(problems.join()).not.toContain('s3cret');
  });

  it.each([
    'redis://127.0.0.1',
    'redis://:s3cret%40@redis.example.com:6379/2',
    'rediss://user:s3cret@[::1]:6380/?family=6',
  ])('accepts REDIS_URL %s', (url) => {
    expect(loadConfig({ REDIS_URL: url }).redisUrl).toBe(url);
  });

  it('reports all problems at once', () => {
    expect(problemsOf({ PORT: 'x', WORKER: 'x', LOG_LEVEL: 'x' })).toHaveLength(3);
  });

  it.each(['0.0.0.0', '::', '::1', 'fe80::1%eth0', 'localhost', 'gosset.internal', 'my_container'])(
    'accepts HOST %s',
    (host) => expect(loadConfig({ HOST: host }).host).toBe(host),
  );

  it('accepts lists of addresses and subnets', () => {
    expect(loadConfig({ TRUST_PROXY: '10.0.0.0/8, fd00::/8' }).trustProxy).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
    ]);
  });
});

describe('resolveSessionSecret', () => {
  it('creates a secret next to the SQLite file once, readable only by its user', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gosset-secret-'));
    const config = loadConfig({ DATABASE_URL: `sqlite:${join(folder, 'data', 'x.sqlite')}` });
    const first = resolveSessionSecret(config).sessionSecret;
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(resolveSessionSecret(config).sessionSecret).toBe(first);
    expect(statSync(join(folder, 'data', 'session-secret')).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
  });

  it('keeps a configured secret', () => {
    const given = 'x'.repeat(32);
    expect(resolveSessionSecret(loadConfig({ SESSION_SECRET: given })).sessionSecret).toBe(given);
  });

  it('requires a configured secret on MySQL, where several processes share it', () => {
    expect(() => resolveSessionSecret(loadConfig({ DATABASE_URL: 'mysql://db/name' }))).toThrow(
      'SESSION_SECRET',
    );
  });
});
