import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestApi } from './api';
import { deliverTo, expectStoredAndCountedOnce, Ledger } from './ledger';
import { Made, Maker } from './scene';
import { ServerProcess } from './server-process';
import { until } from './waiting';

const SESSION_MICROS = 14 * 86_400_000_000;

/** The properties of a prepared stage. */
interface Properties {
  key: string;
  experiment: Made;
  token: string;
  project: string;
  /** The session secret of the team's admin. */
  session: string;
}

/** Opens the application in this process on a SQLite file, without a worker. */
const openHere = (url: string): Promise<TestApi> => TestApi.start({}, () => Promise.resolve(url));

/**
 * A running experiment in a SQLite file, a server process on that file, and ledgers of the events that it acknowledged.
 */
export class SqliteStage {
  server!: ServerProcess;
  readonly ledgers: Ledger[];
  readonly url: string;
  private isSending = false;
  private sending: Promise<unknown> = Promise.resolve();
  /** The statuses of responses since the last call of `seen`; 0 for no response. */
  private statuses: number[] = [];

  private constructor(
    readonly file: string,
    private readonly made: Properties,
    senders: number,
  ) {
    this.url = `sqlite:${file}`;
    this.ledgers = [...Array(senders).keys()].map(() => new Ledger(made.experiment, 20));
  }

  static async prepare(file: string, senders = 4): Promise<SqliteStage> {
    const api = await openHere(`sqlite:${file}`);
    const { people, project } = await api.world();
    const { client, token } = people.admin;
    const make = new Maker(client, project);
    const goal = await make.goal({ name: 'Sale', value_type: 'revenue' });
    const experiment = await make.withStatus('running', { goals: [goal.id] });
    const key = (await client.get(project)).body.client_key as string;
    const session = await beginSession(api, people.admin.id);
    await api.close();
    return new SqliteStage(file, { key, experiment, token, project, session }, senders);
  }

  async start(environment: Record<string, string> = {}): Promise<ServerProcess> {
    this.server = await this.spawn(environment);
    return this.server.ready();
  }

  async spawn(environment: Record<string, string> = {}): Promise<ServerProcess> {
    this.server = await ServerProcess.spawn({ DATABASE_URL: this.url, LOG_LEVEL: 'silent', ...environment });
    return this.server;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.endSending();
    this.server.kill(signal);
    await this.server.exit;
  }

  /** Makes all senders send one batch after another to the current server. */
  beginSending(): void {
    this.isSending = true;
    this.sending = Promise.all(this.ledgers.map((ledger) => this.keepSending(ledger)));
  }

  async endSending(): Promise<void> {
    this.isSending = false;
    await this.sending;
  }

  /** Waits for a response with this status. @returns all statuses since the last call */
  async seen(status: number): Promise<Set<number>> {
    await until(() => this.statuses.includes(status), `an answer ${status}`);
    return new Set(this.statuses.splice(0));
  }

  forgetAnswers(): void {
    this.statuses = [];
  }

  /** Waits until the readiness check has this status. @returns its reason, if any */
  async readiness(status: number): Promise<string | undefined> {
    let reason: string | undefined;
    await until(async () => {
      const answer = await fetch(`${this.server.address}/health/ready`).catch(() => null);
      const body = (await answer?.json()) as { details: { database: { reason?: string } } } | undefined;
      reason = body?.details.database.reason;
      return answer?.status === status;
    }, `readiness ${status}`);
    return reason;
  }

  /** Calls the API as the team's admin. */
  call(path: string, body?: object): Promise<Response> {
    return fetch(`${this.server.address}/api${this.made.project}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.made.token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  }

  /** Whether the start page treats the team's admin as signed in. */
  async isSignedIn(): Promise<boolean> {
    const headers = { cookie: `gosset=${this.made.session}` };
    const answer = await fetch(`${this.server.address}/`, { headers, redirect: 'manual' });
    return answer.status === 200;
  }

  get acknowledged(): number {
    return this.ledgers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  }

  /**
   * Asserts that acknowledged events are stored and counted once, and that these goals exist. The server must be
   * stopped.
   */
  async expectNothingLost(goals: readonly string[] = []): Promise<void> {
    const api = await openHere(this.url);
    await expectStoredAndCountedOnce(api, this.ledgers);
    const rows: { name: string }[] = await api.database.read.query('SELECT name FROM goals');
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining([...goals]));
    await api.close();
  }

  private async keepSending(ledger: Ledger): Promise<void> {
    while (this.isSending) {
      const status = await ledger.send(deliverTo(this.server.address, this.made.key));
      this.statuses.push(status);
      await sleep(status === 200 ? 1 : 50);
    }
  }
}

async function beginSession(api: TestApi, userId: number): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const now = Date.now() * 1000;
  const hash = createHash('sha256').update(secret).digest('hex');
  await api.database.transaction((tx) =>
    tx.query(
      'INSERT INTO sessions (user_id, secret_hash, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?)',
      [userId, hash, now, now, now + SESSION_MICROS],
    ),
  );
  return secret;
}
