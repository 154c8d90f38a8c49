import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSettings } from './environment';
import { addressesIn, headersIn, httpUrl, sqliteFile } from './formats';
import type { LOG_LEVELS, SettingName, SettingValues, WORKER_MODES } from './settings';
import { openIdTarget, signInProblems, type OpenIdTarget } from './sign-in';

const MAX_PORT = 65_535;

interface Given {
  /** The port on which the server itself listens. */
  port: number;
  publicUrl: string;
  demoPort: number | undefined;
  demoUrl: string | undefined;
}

interface DemoAddress {
  /** Port of the demo shop; 0 = any free port. */
  port: number;
  /** Origin of the shop; null if only the shop's listener knows the port. */
  url: string | null;
  /** The invalid variables, with reasons. */
  problems: string[];
}

/**
 * The port and URL of the demo shop. The shop runs experiment code, so it never has the console's origin. By default,
 * it is on the next port of the same host.
 */
function demoAddress({ port, publicUrl, demoPort, demoUrl }: Given): DemoAddress {
  const own = httpUrl(publicUrl);
  const shopPort = demoPort ?? nextPort(port, own);
  if (shopPort === port && port !== 0) {
    return { port: 0, url: null, problems: ['DEMO_PORT must differ from PORT.'] };
  }
  if (own === null || (demoUrl === undefined && shopPort === 0)) {
    return { port: shopPort, url: null, problems: [] };
  }
  const { origin } = new URL(demoUrl ?? `${own.protocol}//${own.hostname}:${shopPort}`);
  return origin === own.origin
    ? { port: shopPort, url: null, problems: [sharedOrigin(origin)] }
    : { port: shopPort, url: origin, problems: [] };
}

const sharedOrigin = (origin: string): string =>
  `The demo shop must not have the same origin as PUBLIC_URL, ${origin}. Set DEMO_URL or DEMO_PORT to a different value.`;

/** The next port after the server's own that is not the port of the public URL; 0 if there is none. */
function nextPort(port: number, own: URL | null): number {
  const next = String(port + 1) === own?.port ? port + 2 : port + 1;
  return port > 0 && next <= MAX_PORT ? next : 0;
}

export type LogLevel = (typeof LOG_LEVELS)[number];
type WorkerMode = (typeof WORKER_MODES)[number];

export type DatabaseTarget =
  | {
      engine: 'sqlite';
      file: string;
      /** Whether statements are reported to observers. */ isObserved?: boolean;
    }
  | { engine: 'mysql'; /** May have several hosts; see `hostUrls`. */ url: string };

/** Where traces are sent. */
export interface OtlpTarget {
  /** Without a trailing slash. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
}

/** The path under which browsers reach the server, such as `/gosset`; empty if there is none. */
export const pathPrefix = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  new URL(publicUrl).pathname.replace(/\/$/, '');

/** The validated configuration. The server's code uses this class instead of environment variables. */
export class Config {
  readonly host: string;
  readonly port: number;
  /** Public URL of the server, without a trailing slash. */
  readonly publicUrl: string;
  /** Port of the demo shop, if there is a demo; 0 = any free port. */
  readonly demoPort: number;
  /**
   * Origin of the demo shop; never the origin of `publicUrl`. Null if only the shop's listener knows its port.
   */
  readonly demoUrl: string | null;
  /** Whether the server may start although demo users can sign in at a public URL. */
  readonly isPublicDemoAllowed: boolean;
  readonly database: DatabaseTarget;
  /** Folder for the copies of published revisions that are served while the database is unavailable. */
  readonly cacheDir: string;
  readonly redisUrl: string | null;
  /** URL of ClickHouse; null if events are stored in the main database. */
  readonly eventsUrl: string | null;
  readonly worker: WorkerMode;
  /** Requests per minute per user, unless the user has their own limit; 0 = unlimited. */
  readonly rateLimitPerMinute: number;
  /** Requests to delivery and collection per minute, per client key and address; 0 = unlimited. */
  readonly deliveryLimitPerMinute: number;
  /** Events per minute per project, unless the project has its own limit; 0 = unlimited. */
  readonly eventsPerMinute: number;
  /** Events per visitor, including all linked ids; Infinity = unlimited (0 in the environment variable). */
  readonly eventsPerVisitor: number;
  /** Timeout for receiving a request. */
  readonly requestTimeoutSeconds: number;
  readonly maxConnections: number;
  /** Maximum number of open payload streams; 0 = none. */
  readonly maxStreams: number;
  /** Event loop delay in milliseconds above which the API and pages return 503; 0 = never. */
  readonly maxEventLoopDelayMs: number;
  /** How long requests are still served after SIGTERM, while readiness fails. */
  readonly shutdownGraceSeconds: number;
  readonly trustProxy: false | string[];
  /** Header name in lower case; null if no proxy sends the visitor's country. */
  readonly countryHeader: string | null;
  /** MaxMind database file; null if there is none. */
  readonly geoipDatabase: string | null;
  /** Null until `resolveSessionSecret` has found or created one. */
  readonly sessionSecret: string | null;
  /** Null without OpenID Connect. */
  readonly openId: OpenIdTarget | null;
  /** Whether users may sign in with passwords. */
  readonly hasPasswords: boolean;
  readonly metricsAllow: string[];
  /** Private addresses and subnets to which webhooks may be sent. */
  readonly webhookAllow: string[];
  /** Null if tracing is off. */
  readonly otlp: OtlpTarget | null;
  readonly logLevel: LogLevel;

  constructor(values: Config) {
    Object.assign(this, values);
  }
}

/** Thrown if the configuration is invalid. `problems` lists the invalid variables with the reasons. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

const countryProblems = ({ COUNTRY_HEADER: header, TRUST_PROXY: proxies }: SettingValues): string[] =>
  header !== undefined && proxies === 'false'
    ? ['COUNTRY_HEADER requires TRUST_PROXY: the header is read only from a trusted proxy.']
    : [];

/** The database that a URL names. @param url a valid `DATABASE_URL` */
export function databaseTarget(url: string): DatabaseTarget {
  const file = sqliteFile(url);
  return file === null ? { engine: 'mysql', url } : { engine: 'sqlite', file };
}

/** Rejects a stream limit that leaves no connections for other requests, including health checks. */
function streamProblems({ MAX_STREAMS: streams, MAX_CONNECTIONS: connections }: SettingValues): string[] {
  return streams >= connections
    ? [
        `MAX_STREAMS (${streams}) must be lower than MAX_CONNECTIONS (${connections}): each stream is a connection.`,
      ]
    : [];
}

function otlpTarget(values: SettingValues): OtlpTarget | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = '' } = values;
  return endpoint === undefined
    ? null
    : {
        endpoint: endpoint.replace(/\/+$/, ''),
        headers: headersIn(headers) ?? {},
        serviceName: values.OTEL_SERVICE_NAME,
      };
}

/**
 * Reads and validates the environment variables listed in `settings.ts`. An empty variable counts as absent.
 * @throws ConfigError that lists all invalid variables
 */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const { values, problems } = readSettings(environment);
  const port = values.PORT;
  const given = values.PUBLIC_URL ?? `http://localhost:${port}`;
  // Converts the host name to ASCII, as in request headers. If the URL is invalid, `problems` already says so.
  const publicUrl = (httpUrl(given)?.href ?? given).replace(/\/+$/, '');
  const demo = demoAddress({ port, publicUrl, demoPort: values.DEMO_PORT, demoUrl: values.DEMO_URL });
  const isGiven = (name: SettingName): boolean => Boolean(environment[name]?.trim());
  const streams = isGiven('MAX_STREAMS') ? streamProblems(values) : [];
  const others = [...countryProblems(values), ...streams, ...signInProblems(values, isGiven)];
  const all = [...problems, ...demo.problems, ...others];
  if (all.length > 0) {
    throw new ConfigError(all);
  }
  const otlp = otlpTarget(values);
  const target = databaseTarget(values.DATABASE_URL);
  const database = otlp === null ? target : { ...target, isObserved: true };
  return new Config({
    host: values.HOST,
    port,
    publicUrl,
    demoPort: demo.port,
    demoUrl: demo.url,
    isPublicDemoAllowed: values.DEMO_PUBLIC === 'allow',
    database,
    cacheDir:
      values.CACHE_DIR ?? join(database.engine === 'sqlite' ? dirname(database.file) : 'data', 'cache'),
    redisUrl: values.REDIS_URL ?? null,
    eventsUrl: values.EVENTS_URL ?? null,
    worker: values.WORKER,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    deliveryLimitPerMinute: values.DELIVERY_LIMIT_PER_MINUTE,
    eventsPerMinute: values.EVENTS_PER_MINUTE,
    eventsPerVisitor: values.EVENTS_PER_VISITOR === 0 ? Infinity : values.EVENTS_PER_VISITOR,
    requestTimeoutSeconds: values.REQUEST_TIMEOUT_SECONDS,
    maxConnections: values.MAX_CONNECTIONS,
    maxStreams: isGiven('MAX_STREAMS')
      ? values.MAX_STREAMS
      : Math.min(values.MAX_STREAMS, Math.floor(values.MAX_CONNECTIONS / 2)),
    maxEventLoopDelayMs: values.MAX_EVENT_LOOP_DELAY_MS,
    shutdownGraceSeconds: values.SHUTDOWN_GRACE_SECONDS,
    trustProxy: values.TRUST_PROXY === 'false' ? false : addressesIn(values.TRUST_PROXY),
    countryHeader: values.COUNTRY_HEADER?.toLowerCase() ?? null,
    geoipDatabase: values.GEOIP_DATABASE ?? null,
    sessionSecret: values.SESSION_SECRET ?? null,
    openId: openIdTarget(values),
    hasPasswords: values.PASSWORD_SIGN_IN === 'on',
    metricsAllow: addressesIn(values.METRICS_ALLOW),
    webhookAllow: values.WEBHOOK_ALLOW === undefined ? [] : addressesIn(values.WEBHOOK_ALLOW),
    otlp,
    logLevel: values.LOG_LEVEL,
  });
}

/**
 * Without `DATABASE_URL`, a command on the host of a Compose installation would silently create a SQLite database next
 * to its MySQL database. @throws ConfigError if `.env` contains Compose's password and the SQLite file does not exist
 * yet
 */
export function refuseSecondDatabase({ database }: Config, environment: NodeJS.ProcessEnv): void {
  const { DATABASE_URL: chosen = '', MYSQL_PASSWORD: ofCompose = '' } = environment;
  if (chosen !== '' || ofCompose === '' || database.engine !== 'sqlite' || existsSync(database.file)) {
    return;
  }
  throw new ConfigError([
    `MYSQL_PASSWORD is set, so this installation seems to use the Docker Compose database, but DATABASE_URL is not set, and ${database.file} would be a second, empty database. ` +
      'Run the command in the container: docker compose exec server node dist/src/admin.js, followed by the command. ' +
      `To use SQLite here, set DATABASE_URL=sqlite:${database.file}.`,
  ]);
}
