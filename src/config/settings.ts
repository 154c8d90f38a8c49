import type { Setting } from './setting';
import { SIGN_IN_SETTINGS } from './sign-in-settings';

/*
 * All the server's environment variables. `loadConfig` validates with this table; `.env.example` and the table in
 * docs/production.md are generated from it by `npm run generate`.
 */

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const DEMO_PUBLIC_CHOICES = ['refuse', 'allow'] as const;
export const WORKER_MODES = ['inline', 'off', 'only'] as const;

const MAX_PORT = 65_535;
const MAX_LIMIT = 1_000_000_000;
const ADDRESSES = 'must list addresses or subnets, such as 10.0.0.0/8';

export const SETTINGS = {
  HOST: {
    type: 'string',
    format: 'host',
    'x-message': 'must be an address without a port, such as 0.0.0.0 or ::',
    default: '127.0.0.1',
    description: 'Address the server listens on.',
  },
  PORT: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_PORT,
    default: 3000,
    description: 'Port the server listens on; 0 = any free port.',
  },
  PUBLIC_URL: {
    type: 'string',
    format: 'http',
    'x-message': 'must be an http(s) address without a query or password, such as https://ab.example.com',
    'x-default': '`http://localhost:` followed by the port',
    examples: ['http://localhost:3000'],
    description:
      'Public URL of the server, used as the base of all absolute URLs in responses and in published snippets. All processes need the same value. If the URL uses https, cookies are sent over https only.',
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
    'x-default': 'host of `PUBLIC_URL` with port `DEMO_PORT`',
    examples: ['http://localhost:3001'],
    description: 'Origin of the demo shop, without a path. It must differ from the origin of `PUBLIC_URL`.',
  },
  DEMO_PUBLIC: {
    type: 'string',
    enum: DEMO_PUBLIC_CHOICES,
    default: 'refuse',
    description:
      'Whether the server starts with a public `PUBLIC_URL` while [demo users](#the-demo-shop) can sign in: `refuse` or `allow`.',
  },
  DATABASE_URL: {
    type: 'string',
    format: 'database',
    default: 'sqlite:data/gosset.sqlite',
    'x-secret': true,
    'x-message':
      'must be sqlite:<file>, such as sqlite:data/gosset.sqlite or sqlite:/srv/gosset.sqlite, without ~ or quotes, or mysql://user:password@host:3306/name, with several hosts separated by commas; mysqls:// for TLS, with host names instead of IP addresses; no parameters such as ?ssl or ?mode. In a password, encode @ : / ? # and % as %40 %3A %2F %3F %23 and %25',
    description:
      'Where all data is stored. For MySQL 8 and MariaDB 10.6 or later: `mysql://user:password@host:3306/name`, with commas between [several hosts](#a-database-cluster); `mysqls://` for [TLS](#tls-to-the-database).',
  },
  EVENTS_URL: {
    type: 'string',
    format: 'events',
    'x-secret': true,
    'x-message':
      'must be clickhouse://user:password@host:8123/database, or clickhouses:// for TLS. In a password, encode @ : / ? # and % as %40 %3A %2F %3F %23 and %25',
    'x-default': 'the main database',
    examples: ['clickhouse://gosset:secret@127.0.0.1:8123/gosset'],
    description:
      'Where events are stored. [ClickHouse](#events-in-clickhouse) can hold more events than the main database.',
  },
  CACHE_DIR: {
    type: 'string',
    'x-default': '`cache` next to the SQLite file, or `data/cache`',
    examples: ['data/cache'],
    description:
      'Folder for [copies of published revisions](#when-the-database-is-unavailable), which are served while the database is unavailable. Each machine needs its own folder. If it is not writable, the server logs a warning at startup and runs without copies.',
  },
  REDIS_URL: {
    type: 'string',
    format: 'redis',
    'x-secret': true,
    'x-message':
      'must be redis://host:6379 or rediss://user:password@host:6379/0. In a password, encode @ : / ? # and % as %40 %3A %2F %3F %23 and %25',
    'x-default': 'none',
    examples: ['redis://127.0.0.1:6379'],
    description: 'Redis server through which several processes share rate limits and recent messages.',
  },
  WORKER: {
    type: 'string',
    enum: WORKER_MODES,
    default: 'inline',
    description:
      'Where the worker computes results from events: in the server process (`inline`), in another process (`off`), or in this process, which then serves no requests (`only`).',
  },
  RATE_LIMIT_PER_MINUTE: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    default: 60,
    description: 'API requests per minute per user, unless the user has their own limit; 0 = unlimited.',
  },
  DELIVERY_LIMIT_PER_MINUTE: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    default: 300_000,
    description:
      'Snippet, decision and collection requests per minute per client key and address; 0 = unlimited. Each process counts separately.',
  },
  EVENTS_PER_MINUTE: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    default: 1_000_000,
    description:
      'Events per minute per project, unless the project has its own limit; 0 = unlimited. Processes with the same `REDIS_URL` share one count.',
  },
  EVENTS_PER_VISITOR: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    default: 20_000,
    description:
      'Approximate maximum number of events per visitor, across all linked ids. Further events are rejected as `too_many_events`. Each new event is processed together with all earlier events of the same visitor, so a higher limit costs time and memory. 0 = unlimited.',
  },
  REQUEST_TIMEOUT_SECONDS: {
    type: 'integer',
    minimum: 1,
    maximum: 3_600,
    default: 30,
    description:
      'Timeout for receiving a request, in seconds; the headers must arrive within half that time. Slower requests get a 408.',
  },
  MAX_CONNECTIONS: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    default: 10_000,
    description:
      'Maximum number of open connections. Above the limit, idle connections are closed and new ones are refused.',
  },
  MAX_STREAMS: {
    type: 'integer',
    minimum: 0,
    maximum: 1_000_000,
    default: 2_000,
    description:
      'Maximum number of open [payload streams](clients.md#streaming) to SDKs; 0 = none. One project can use at most half of them, and one address at most a tenth. Must be lower than `MAX_CONNECTIONS`, because each stream is a connection. The default is at most half of `MAX_CONNECTIONS`.',
  },
  MAX_EVENT_LOOP_DELAY_MS: {
    type: 'integer',
    minimum: 0,
    maximum: 60_000,
    default: 1_000,
    description:
      'Milliseconds by which the event loop may lag before the API and pages return [503](#when-the-server-is-overloaded); 0 = never.',
  },
  SHUTDOWN_GRACE_SECONDS: {
    type: 'integer',
    minimum: 0,
    maximum: 300,
    default: 2,
    description:
      'Seconds after SIGTERM during which requests are still served while `/health/ready` returns 503, so that load balancers stop sending requests.',
  },
  TRUST_PROXY: {
    type: 'string',
    format: 'proxies',
    default: 'false',
    'x-message': `${ADDRESSES}, and no subnet /0, because every client could then choose its own address`,
    description:
      'Addresses or subnets of reverse proxies whose `X-Forwarded-*` headers are trusted, separated by commas; false = none.',
  },
  SESSION_SECRET: {
    type: 'string',
    minLength: 32,
    'x-secret': true,
    'x-message': 'must have at least 32 characters',
    'x-default': 'with SQLite: generated and stored in `data/`',
    examples: [''],
    description:
      'Secret that signs forms and preview links: at least 32 characters, for instance from `openssl rand -hex 32`. Required on MySQL; must be the same for every process.',
  },
  COUNTRY_HEADER: {
    type: 'string',
    format: 'header',
    'x-message': 'must be a header name, such as CF-IPCountry',
    'x-default': 'none',
    examples: ['CF-IPCountry'],
    description:
      "Header in which the proxies listed in `TRUST_PROXY` send the [visitor's country](#countries-of-visitors). The proxies must remove this header from client requests.",
  },
  GEOIP_DATABASE: {
    type: 'string',
    'x-default': 'none',
    examples: ['data/GeoLite2-Country.mmdb'],
    description:
      "MaxMind database file (.mmdb) for looking up the [visitor's country](#countries-of-visitors) by IP address, used if the header gives no country.",
  },
  ...SIGN_IN_SETTINGS,
  METRICS_ALLOW: {
    type: 'string',
    format: 'addresses',
    default: '127.0.0.1,::1',
    'x-message': ADDRESSES,
    description: 'Addresses or subnets that may read `/metrics`, separated by commas.',
  },
  WEBHOOK_ALLOW: {
    type: 'string',
    format: 'addresses',
    'x-message': ADDRESSES,
    'x-default': 'none',
    examples: ['10.20.0.0/16'],
    description:
      'Private addresses or subnets to which [webhooks](webhooks.md#addresses) may be sent, including over http, separated by commas.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    type: 'string',
    format: 'http',
    'x-message': 'must be an http(s) address without a query or password, such as http://127.0.0.1:4318',
    'x-default': 'none',
    examples: ['http://127.0.0.1:4318'],
    description:
      'Base URL of the OpenTelemetry collector that receives [traces](#traces), as OTLP over HTTP.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    type: 'string',
    format: 'headers',
    'x-secret': true,
    'x-message':
      'must list headers with percent-encoded values, such as x-api-key=secret,authorization=Basic%20abc',
    'x-default': 'none',
    examples: ['x-api-key=secret'],
    description:
      'Headers to send to the collector, as `name=value` with percent-encoded values (`authorization=Basic%20abc`), separated by commas.',
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

/** The values of all variables; undefined if there is neither a value nor a default. */
export type SettingValues = { readonly [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> };
