import { isIP } from 'node:net';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const WORKER_MODES = ['inline', 'off', 'only'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type WorkerMode = (typeof WORKER_MODES)[number];

export type DatabaseTarget = { engine: 'sqlite'; file: string } | { engine: 'mysql'; url: string };

/** Everything the environment decides, validated; the only reader of environment variables. */
export class Config {
  readonly host: string;
  readonly port: number;
  /** How the server is reached from outside, without a trailing slash. */
  readonly publicUrl: string;
  readonly database: DatabaseTarget;
  readonly redisUrl: string | null;
  readonly worker: WorkerMode;
  /** Requests per minute and user unless the user has a limit of its own; 0 = unlimited. */
  readonly rateLimitPerMinute: number;
  /** Requests per minute, client key and address to what sites and their back ends call; 0 = unlimited. */
  readonly deliveryLimitPerMinute: number;
  readonly trustProxy: false | string[];
  /** Null until `resolveSessionSecret` has found or made one. */
  readonly sessionSecret: string | null;
  readonly metricsAllow: string[];
  readonly logLevel: LogLevel;

  constructor(values: Config) {
    Object.assign(this, values);
  }
}

/** The configuration is wrong; `problems` says which variables and why. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`The configuration is wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

const DEFAULT_PORT = 3000;
const MAX_LIMIT = 1_000_000_000;

type Problems = string[];

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[], problems: Problems): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) {
    problems.push(`${name} must be one of ${allowed.join(', ')}, not "${value}".`);
  }
  return found ?? allowed[0];
}

function integer(name: string, value: string, min: number, max: number, problems: Problems): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : NaN;
  if (!(number >= min && number <= max)) {
    problems.push(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
  }
  return number;
}

function httpUrl(name: string, value: string, problems: Problems): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '') {
    problems.push(
      `${name} must be an http(s) address without query, such as https://ab.example.com, not "${value}".`,
    );
  }
  return value.replace(/\/+$/, '');
}

function databaseTarget(value: string, problems: Problems): DatabaseTarget {
  const file = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(value)?.[1];
  if (file !== undefined && file !== ':memory:') {
    return { engine: 'sqlite', file };
  }
  if (/^mysql:\/\/[^/]+\/[^/?]+/.test(value) && URL.canParse(value)) {
    return { engine: 'mysql', url: value };
  }
  problems.push(
    'DATABASE_URL must be sqlite:<file>, such as sqlite:data/gosset.sqlite, or mysql://user:password@host:3306/name.',
  );
  return { engine: 'sqlite', file: value };
}

function isAddressOrSubnet(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/');
  const version = isIP(address ?? '');
  if (version === 0 || rest.length > 0) {
    return false;
  }
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

function addresses(name: string, value: string, problems: Problems): string[] {
  const list = value.split(',').map((entry) => entry.trim());
  const wrong = list.filter((entry) => !isAddressOrSubnet(entry));
  if (wrong.length > 0) {
    problems.push(`${name} must list addresses or subnets, such as 10.0.0.0/8; wrong: ${wrong.join(', ')}.`);
  }
  return list;
}

function redisUrl(value: string | undefined, problems: Problems): string | null {
  if (value !== undefined && !(/^rediss?:\/\//.test(value) && URL.canParse(value))) {
    problems.push(`REDIS_URL must be redis://host:6379 or rediss://..., not "${value}".`);
  }
  return value ?? null;
}

function sessionSecret(value: string | undefined, problems: Problems): string | null {
  if (value !== undefined && value.length < 32) {
    problems.push('SESSION_SECRET must have at least 32 characters.');
  }
  return value ?? null;
}

/**
 * Reads and checks the environment. An empty variable counts as absent.
 * @throws ConfigError naming every wrong variable at once
 */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const problems: Problems = [];
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const limit = (name: string, byDefault: number): number =>
    integer(name, read(name) ?? String(byDefault), 0, MAX_LIMIT, problems);
  const port = integer('PORT', read('PORT') ?? String(DEFAULT_PORT), 0, 65_535, problems);
  const isPortRight = problems.length === 0;
  const proxies = read('TRUST_PROXY') ?? 'false';
  const config = new Config({
    host: read('HOST') ?? '127.0.0.1',
    port,
    publicUrl: httpUrl(
      'PUBLIC_URL',
      read('PUBLIC_URL') ?? `http://localhost:${isPortRight ? port : DEFAULT_PORT}`,
      problems,
    ),
    database: databaseTarget(read('DATABASE_URL') ?? 'sqlite:data/gosset.sqlite', problems),
    redisUrl: redisUrl(read('REDIS_URL'), problems),
    worker: oneOf('WORKER', read('WORKER') ?? 'inline', WORKER_MODES, problems),
    rateLimitPerMinute: limit('RATE_LIMIT_PER_MINUTE', 60),
    deliveryLimitPerMinute: limit('DELIVERY_LIMIT_PER_MINUTE', 300_000),
    trustProxy: proxies === 'false' ? false : addresses('TRUST_PROXY', proxies, problems),
    sessionSecret: sessionSecret(read('SESSION_SECRET'), problems),
    metricsAllow: addresses('METRICS_ALLOW', read('METRICS_ALLOW') ?? '127.0.0.1,::1', problems),
    logLevel: oneOf('LOG_LEVEL', read('LOG_LEVEL') ?? 'info', LOG_LEVELS, problems),
  });
  if (problems.length > 0) {
    throw new ConfigError(problems);
  }
  return config;
}
