import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { ClickHouseClient, CommandResult } from '@clickhouse/client';
import { UnavailableError } from '../../common/errors/api-errors';
import { OutageLog } from '../../common/errors/failure-log';
import { errorMessage } from '../../common/logging/logged-error';
import { Config } from '../../config/config';
import type { EventLogRow } from './event-rows';

/*
 * Formats values for the text of ClickHouse statements. Query parameters would be part of the URL, which is too short
 * for long lists.
 */

/** A string literal. Visitor ids can contain quotes and backslashes. */
export const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

export const integer = (value: number | bigint): string => BigInt(value).toString();

/** A list of integers, such as `[1,2]`. */
export const integers = (values: readonly number[]): string => `[${values.map(integer).join(',')}]`;

/** Rows as a table expression. @param structure `name Type, ...` */
export const rowsOf = (structure: string, rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? `null(${quoted(structure)})`
    : `values(${quoted(structure)}, ${rows.map((row) => `(${row.join(',')})`).join(',')})`;

/** Timeout for inserts. Shorter than the collection deadline. */
const INSERT_MS = 8_000;
const QUERY_MS = 120_000;
/** Timeout for statements within transactions. Shorter than the time that other writers wait for them. */
const START_MS = 3_000;
const PROBE_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;
/**
 * Only inserts show whether ClickHouse accepts events. After this time without another failed insert, the process may
 * get events again.
 */
const REMEMBERED_MS = 10_000;
/** Maximum size of a statement in bytes. Large, because statements list ids and counting rules. */
const MAX_QUERY_BYTES = 256 * 1024 * 1024;

/** ClickHouse error codes: unknown database, unknown user, wrong password, access denied, authentication failed. */
const REFUSALS = ['81', '192', '193', '497', '516'];

/** ClickHouse does not respond, or rejects the statement. */
export class ClickHouseError extends UnavailableError {
  override readonly isLogged = true;

  constructor(override readonly cause: unknown) {
    super(RETRY_AFTER_SECONDS);
    this.message = `ClickHouse cannot be used: ${errorMessage(cause)}`;
  }

  /** Whether ClickHouse rejected the credentials or the database, in which case retrying does not help. */
  get isRefusal(): boolean {
    const { code } = Object(this.cause) as { code?: unknown };
    return REFUSALS.includes(String(code));
  }

  /** The message for callers, without details of the statement. */
  override get body(): object {
    return new UnavailableError().body;
  }
}

/** Why an insert failed, for anyone. ClickHouse's own message is only logged, because it could quote visitor ids. */
function insertProblem(error: unknown): string {
  const { cause } = Object(error) as { cause?: { type?: string } };
  return `ClickHouse cannot store events (${cause?.type ?? 'no valid response'}). See the server's log.`;
}

/** A response in the format `JSON`. */
interface Answer<Row> {
  data: Row[];
  rows: number;
  exception?: string;
}

/**
 * The rows of a response in the format `JSON`. A query can fail after ClickHouse has sent the status 200 and some rows,
 * so only a complete document without an error counts.
 */
function rowsIn<Row>(text: string): Row[] {
  const { data, rows, exception } = documentIn<Row>(text);
  if (exception !== undefined || data === undefined || data.length !== rows) {
    throw new Error(exception ?? 'The response is incomplete.');
  }
  return data;
}

/** Empty if the text is not JSON. The parser's error is omitted because it could quote visitor ids. */
function documentIn<Row>(text: string): Partial<Answer<Row>> {
  try {
    return JSON.parse(text) as Partial<Answer<Row>>;
  } catch {
    return {};
  }
}

/** The connection to ClickHouse. The client package is loaded on first use. */
@Injectable()
export class ClickHouse implements OnApplicationShutdown {
  private readonly logger = new Logger(ClickHouse.name);
  /** Tracked separately, because a full disk makes only inserts fail. */
  private readonly outages = {
    inserts: new OutageLog(this.logger, {
      failing: 'ClickHouse cannot store events',
      working: 'ClickHouse stores events again',
    }),
    statements: new OutageLog(this.logger, {
      failing: 'ClickHouse cannot execute statements',
      working: 'ClickHouse executes statements again',
    }),
  };
  private client: Promise<ClickHouseClient> | null = null;
  /** The last insert, if it failed: the reason, and the time in milliseconds of the monotonic clock. */
  private failedInsert: { reason: string; at: number } | null = null;

  constructor(private readonly config: Config) {}

  /** Runs a query and returns its rows. @param limitMs timeout in milliseconds */
  async rows<Row>(query: string, limitMs = QUERY_MS): Promise<Row[]> {
    return this.using('statements', async (client) => {
      const result = await client.query({
        query,
        format: 'JSON',
        abort_signal: AbortSignal.timeout(limitMs),
        clickhouse_settings: READING,
      });
      return rowsIn<Row>(await result.text());
    });
  }

  /** Executes a statement that returns no rows. */
  async command(query: string): Promise<void> {
    await this.send('statements', (client) =>
      client.command({ query, clickhouse_settings: { mutations_sync: '2' } }),
    );
  }

  /**
   * Starts a deletion, or changes a comment, without waiting for replicas or for rows to be deleted, so transactions
   * can be open meanwhile.
   */
  async start(query: string): Promise<void> {
    await this.send('statements', (client) =>
      client.command({
        query,
        abort_signal: AbortSignal.timeout(START_MS),
        clickhouse_settings: { mutations_sync: '0' },
      }),
    );
  }

  /** Inserts events. Resolves when the rows are on disk. */
  async insert(values: readonly EventLogRow[]): Promise<void> {
    try {
      await this.send('inserts', (client) =>
        client.insert({
          table: 'events',
          values: [...values],
          format: 'JSONEachRow',
          abort_signal: AbortSignal.timeout(INSERT_MS),
          clickhouse_settings: { async_insert: 0, max_partitions_per_insert_block: '0' },
        }),
      );
      this.failedInsert = null;
    } catch (error) {
      this.failedInsert = { reason: insertProblem(error), at: performance.now() };
      throw error;
    }
  }

  /** @returns why ClickHouse cannot be used, or has rejected an insert a moment ago; null if it can be used */
  async problem(): Promise<string | null> {
    try {
      const client = await this.connected();
      const answer = await client.ping({ select: true, abort_signal: AbortSignal.timeout(PROBE_MS) });
      return answer.success ? this.recentInsertProblem() : answer.error.message;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  private recentInsertProblem(): string | null {
    const { reason, at } = this.failedInsert ?? { reason: null, at: -Infinity };
    return performance.now() - at < REMEMBERED_MS ? reason : null;
  }

  async onApplicationShutdown(): Promise<void> {
    const client = await this.client?.catch(() => null);
    await client?.close();
  }

  /**
   * Sends a statement whose response has no content. Responses without ClickHouse's own headers are errors, because a
   * proxy can also answer with an empty 200.
   */
  private async send(
    kind: keyof ClickHouse['outages'],
    work: (client: ClickHouseClient) => Promise<Pick<CommandResult, 'response_headers'>>,
  ): Promise<void> {
    await this.using(kind, async (client) => {
      const { response_headers: headers } = await work(client);
      if (!Object.keys(headers).some((name) => name.startsWith('x-clickhouse-'))) {
        throw new Error('The response is not from ClickHouse.');
      }
    });
  }

  private async using<T>(
    kind: keyof ClickHouse['outages'],
    work: (client: ClickHouseClient) => Promise<T>,
  ): Promise<T> {
    try {
      const result = await work(await this.connected());
      this.outages[kind].worked();
      return result;
    } catch (error) {
      const problem = new ClickHouseError(error);
      this.outages[kind].failed(problem.message);
      throw problem;
    }
  }

  private connected(): Promise<ClickHouseClient> {
    this.client ??= this.connect();
    return this.client;
  }

  private async connect(): Promise<ClickHouseClient> {
    const { createClient, ClickHouseLogLevel } = await import('@clickhouse/client');
    const address = new URL(this.config.eventsUrl ?? '');
    return createClient({
      url: `${address.protocol === 'clickhouses:' ? 'https' : 'http'}://${address.host}`,
      username: decodeURIComponent(address.username),
      password: decodeURIComponent(address.password),
      database: address.pathname.slice(1),
      application: 'gosset',
      request_timeout: QUERY_MS,
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    });
  }
}

const READING = {
  // A query that fails after its first rows then has an error status with the reason.
  wait_end_of_query: 1 as const,
  max_query_size: String(MAX_QUERY_BYTES),
  max_ast_elements: '50000000',
  max_expanded_ast_elements: '50000000',
  select_sequential_consistency: '1' as const,
};
