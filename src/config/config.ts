import { dirname, join } from 'node:path';
import { demoAddress } from './demo-address';
import { readSettings } from './environment';
import { addressesIn, headersIn, sqliteFile } from './formats';
import type { LOG_LEVELS, SettingValues, WORKER_MODES } from './settings';

export type LogLevel = (typeof LOG_LEVELS)[number];
export type WorkerMode = (typeof WORKER_MODES)[number];

export type DatabaseTarget =
  | { engine: 'sqlite'; file: string }
  | { engine: 'mysql'; /** May have several hosts; see `hostUrls`. */ url: string };

/** Where traces are sent. */
export interface OtlpTarget {
  /** Without a trailing slash. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
}

/** Everything the environment decides, validated; the only reader of environment variables. */
export class Config {
  readonly host: string;
  readonly port: number;
  /** How the server is reached from outside, without a trailing slash. */
  readonly publicUrl: string;
  /** Where the demo shop listens, if there is a demo; 0 = any free port. */
  readonly demoPort: number;
  /**
   * Origin of the demo shop, never that of `publicUrl`. Null when only the shop's listener knows its port.
   */
  readonly demoUrl: string | null;
  readonly database: DatabaseTarget;
  /** Folder for the copies of published revisions that are served while the database is away. */
  readonly cacheDir: string;
  readonly redisUrl: string | null;
  readonly worker: WorkerMode;
  /** Requests per minute and user unless the user has a limit of its own; 0 = unlimited. */
  readonly rateLimitPerMinute: number;
  /** Requests per minute, client key and address to what sites and their back ends call; 0 = unlimited. */
  readonly deliveryLimitPerMinute: number;
  /** Events per minute that a project may collect unless it has a limit of its own; 0 = unlimited. */
  readonly eventsPerMinute: number;
  /** A request must have arrived within this time. */
  readonly requestTimeoutSeconds: number;
  readonly maxConnections: number;
  /** Open streams of payloads; 0 = none. */
  readonly maxStreams: number;
  /** Milliseconds by which the event loop may lag before the API and pages answer 503; 0 = never. */
  readonly maxEventLoopDelayMs: number;
  /** How long everything is still served after SIGTERM, while readiness fails. */
  readonly shutdownGraceSeconds: number;
  readonly trustProxy: false | string[];
  /** Null until `resolveSessionSecret` has found or made one. */
  readonly sessionSecret: string | null;
  readonly metricsAllow: string[];
  /** Null when there are no traces. */
  readonly otlp: OtlpTarget | null;
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

function databaseTarget(url: string): DatabaseTarget {
  const file = sqliteFile(url);
  return file === null ? { engine: 'mysql', url } : { engine: 'sqlite', file };
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
 * Reads and checks the environment; `settings.ts` says which variables there are. An empty one counts as absent.
 * @throws ConfigError naming every wrong variable at once
 */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const { values, problems } = readSettings(environment);
  const port = values.PORT;
  const publicUrl = (values.PUBLIC_URL ?? `http://localhost:${port}`).replace(/\/+$/, '');
  const demo = demoAddress({ port, publicUrl, demoPort: values.DEMO_PORT, demoUrl: values.DEMO_URL });
  const all = [...problems, ...demo.problems];
  if (all.length > 0) {
    throw new ConfigError(all);
  }
  const database = databaseTarget(values.DATABASE_URL);
  return new Config({
    host: values.HOST,
    port,
    publicUrl,
    demoPort: demo.port,
    demoUrl: demo.url,
    database,
    cacheDir:
      values.CACHE_DIR ?? join(database.engine === 'sqlite' ? dirname(database.file) : 'data', 'cache'),
    redisUrl: values.REDIS_URL ?? null,
    worker: values.WORKER,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    deliveryLimitPerMinute: values.DELIVERY_LIMIT_PER_MINUTE,
    eventsPerMinute: values.EVENTS_PER_MINUTE,
    requestTimeoutSeconds: values.REQUEST_TIMEOUT_SECONDS,
    maxConnections: values.MAX_CONNECTIONS,
    maxStreams: values.MAX_STREAMS,
    maxEventLoopDelayMs: values.MAX_EVENT_LOOP_DELAY_MS,
    shutdownGraceSeconds: values.SHUTDOWN_GRACE_SECONDS,
    trustProxy: values.TRUST_PROXY === 'false' ? false : addressesIn(values.TRUST_PROXY),
    sessionSecret: values.SESSION_SECRET ?? null,
    metricsAllow: addressesIn(values.METRICS_ALLOW),
    otlp: otlpTarget(values),
    logLevel: values.LOG_LEVEL,
  });
}
