/*
 * Every variable that the server reads: one table, which `loadConfig` checks by, and which `.env.example` and the table
 * in docs/production.md are made of (`settings.spec.ts`).
 *
 * An entry is a JSON Schema, besides with `x-default` (the default in words, where it depends on something else),
 * `x-message` (what is allowed, where the schema does not say it well) and `x-secret` (no message shows the value).
 */

interface Described {
  /** What it is for, in Markdown. */
  readonly description: string;
  readonly 'x-default'?: string;
  /** What `.env.example` shows where there is no default. */
  readonly examples?: readonly [string];
}

interface TextSetting extends Described {
  readonly type: 'string';
  readonly default?: string;
  readonly enum?: readonly string[];
  readonly format?: SettingFormat;
  readonly minLength?: number;
  readonly 'x-message'?: string;
  readonly 'x-secret'?: true;
}

interface NumberSetting extends Described {
  readonly type: 'integer';
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

export type Setting = TextSetting | NumberSetting;

/** What a text must be; see `formats.ts`. */
export type SettingFormat = 'addresses' | 'database' | 'headers' | 'http' | 'origin' | 'proxies' | 'redis';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const WORKER_MODES = ['inline', 'off', 'only'] as const;

const MAX_PORT = 65_535;
const MAX_LIMIT = 1_000_000_000;
const ADDRESSES = 'must list addresses or subnets, such as 10.0.0.0/8';

export const SETTINGS = {
  HOST: { type: 'string', default: '127.0.0.1', description: 'Address the server listens on.' },
  PORT: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_PORT,
    default: 3000,
    description: 'Port the server listens on.',
  },
  PUBLIC_URL: {
    type: 'string',
    format: 'http',
    'x-message': 'must be an http(s) address without query, such as https://ab.example.com',
    'x-default': '`http://localhost:` and the port',
    examples: ['http://localhost:3000'],
    description:
      'How the server is reached from outside; every absolute address it returns is built on it. With https, cookies are for https only.',
  },
  DEMO_PORT: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_PORT,
    'x-default': 'the port after `PORT`',
    examples: ['3001'],
    description: 'Port of the [demo shop](#the-demo-shop), if there is demo data; 0 = any free port.',
  },
  DEMO_URL: {
    type: 'string',
    format: 'origin',
    'x-message': 'must be an http(s) origin without a path, such as https://shop.example.com',
    'x-default': 'host of `PUBLIC_URL`, `DEMO_PORT`',
    examples: ['http://localhost:3001'],
    description: 'Origin of the demo shop, without a path; never the origin of `PUBLIC_URL`.',
  },
  DATABASE_URL: {
    type: 'string',
    format: 'database',
    default: 'sqlite:data/gosset.sqlite',
    'x-secret': true,
    'x-message':
      'must be sqlite:<file>, such as sqlite:data/gosset.sqlite, or mysql://user:password@host:3306/name, with several hosts separated by commas',
    description:
      'Where everything is stored. For MySQL 8 and MariaDB 10.6 or later: `mysql://user:password@host:3306/name`, with commas between [several hosts](#a-database-cluster).',
  },
  CACHE_DIR: {
    type: 'string',
    'x-default': '`cache` beside the SQLite file, or `data/cache`',
    examples: ['data/cache'],
    description:
      'Folder for [copies of what is published](#when-the-database-is-unavailable), which are served while the database is away; each machine has its own.',
  },
  REDIS_URL: {
    type: 'string',
    format: 'redis',
    'x-secret': true,
    'x-message':
      'must be redis://host:6379 or rediss://user:password@host:6379/0. In a password, write @ : / ? # and % as %40 %3A %2F %3F %23 and %25',
    'x-default': 'none',
    examples: ['redis://127.0.0.1:6379'],
    description: 'Lets several processes share rate limits and recent messages.',
  },
  WORKER: {
    type: 'string',
    enum: WORKER_MODES,
    default: 'inline',
    description:
      'Where events become results: `inline` in the server process, `off` elsewhere, `only` in this process, which serves nothing.',
  },
  RATE_LIMIT_PER_MINUTE: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    default: 60,
    description: 'API requests a minute for every user without a limit of their own; 0 = unlimited.',
  },
  DELIVERY_LIMIT_PER_MINUTE: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    default: 300_000,
    description:
      'Requests a minute for every client key and address: snippets, decisions, collection; 0 = unlimited. Each process counts for itself.',
  },
  EVENTS_PER_MINUTE: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    default: 1_000_000,
    description:
      'Events a minute of every project without a limit of its own; 0 = unlimited. Processes with the same `REDIS_URL` count together.',
  },
  REQUEST_TIMEOUT_SECONDS: {
    type: 'integer',
    minimum: 1,
    maximum: 3_600,
    default: 30,
    description:
      'Seconds within which a request must have arrived, its headers within half of it; otherwise it is answered with 408.',
  },
  MAX_CONNECTIONS: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    default: 10_000,
    description: 'Connections at the same time. Further ones are refused, and idle ones closed to make room.',
  },
  MAX_STREAMS: {
    type: 'integer',
    minimum: 0,
    maximum: 1_000_000,
    default: 2_000,
    description:
      'Open [streams](clients.md#streaming) of payloads to SDKs, half of them for one project and a tenth from one address; 0 = none. Fewer than `MAX_CONNECTIONS`, because each is a connection.',
  },
  MAX_EVENT_LOOP_DELAY_MS: {
    type: 'integer',
    minimum: 0,
    maximum: 60_000,
    default: 1_000,
    description:
      'Milliseconds by which the event loop may lag before the API and pages answer [503](#when-the-server-is-overloaded); 0 = never.',
  },
  SHUTDOWN_GRACE_SECONDS: {
    type: 'integer',
    minimum: 0,
    maximum: 300,
    default: 2,
    description:
      'Seconds after SIGTERM in which everything is still served while `/health/ready` answers 503, so that load balancers notice.',
  },
  TRUST_PROXY: {
    type: 'string',
    format: 'proxies',
    default: 'false',
    'x-message': ADDRESSES,
    description:
      'Addresses or subnets of reverse proxies whose `X-Forwarded-*` headers count, separated by commas; false = none.',
  },
  SESSION_SECRET: {
    type: 'string',
    minLength: 32,
    'x-secret': true,
    'x-message': 'must have at least 32 characters',
    'x-default': 'made and kept in `data/` on SQLite',
    examples: [''],
    description:
      'Signs forms and preview links: at least 32 characters, for instance from `openssl rand -hex 32`. Required on MySQL, the same for every process.',
  },
  METRICS_ALLOW: {
    type: 'string',
    format: 'addresses',
    default: '127.0.0.1,::1',
    'x-message': ADDRESSES,
    description: 'Addresses or subnets that may read `/metrics`, separated by commas.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    type: 'string',
    format: 'http',
    'x-message': 'must be an http(s) address without query, such as http://127.0.0.1:4318',
    'x-default': 'none',
    examples: ['http://127.0.0.1:4318'],
    description:
      'Base address of the OpenTelemetry collector that gets [traces](#traces), by OTLP over HTTP.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    type: 'string',
    format: 'headers',
    'x-secret': true,
    'x-message': 'must list headers, such as x-api-key=secret,x-team=web',
    'x-default': 'none',
    examples: ['x-api-key=secret'],
    description: 'Headers of the requests to it, as `name=value`, separated by commas.',
  },
  OTEL_SERVICE_NAME: {
    type: 'string',
    default: 'gosset',
    description: 'Name of this server in traces.',
  },
  LOG_LEVEL: {
    type: 'string',
    enum: LOG_LEVELS,
    default: 'info',
    description: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<S extends Setting> =
  | (S extends { enum: readonly (infer E)[] } ? E : S extends { type: 'integer' } ? number : string)
  | (S extends { default: unknown } ? never : undefined);

/** The values of all variables; undefined where there is neither a value nor a default. */
export type SettingValues = { readonly [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> };
