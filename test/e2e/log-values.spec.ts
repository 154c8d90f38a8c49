import { Logger } from '@nestjs/common';
import { pino } from 'pino';
import { logOptions, PinoLogger } from '../../src/common/logging/pino-logger';
import type { Tx } from '../../src/database/database';
import { refusing } from '../support/refusals';
import { useScene } from '../support/scene';
import { signer, Visitor } from '../support/visitor';

/* The log of failed statements contains no values. */

interface Line {
  level: number;
  err?: Record<string, unknown>;
}

const scene = useScene();
const ERROR = 50;

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  Logger.overrideLogger(
    new PinoLogger(pino(logOptions('trace'), { write: (line) => void lines.push(line) })),
  );
});
beforeAll(() => jest.spyOn(console, 'error').mockReturnValue(undefined));

const errors = (): Line[] =>
  lines.map((line) => JSON.parse(line) as Line).filter(({ level }) => level === ERROR);

const FIELDS = ['type', 'message', 'stack', 'code', 'errno', 'query'];

/** Asserts that one statement was logged, with placeholders. */
function expectStatement(beginning: string): void {
  const [{ err = {} }] = errors();
  expect(err).toMatchObject({ type: 'QueryFailedError', query: expect.stringContaining(beginning) });
  expect(Object.keys(err).filter((name) => !FIELDS.includes(name))).toEqual([]);
  expect(String(err.stack)).toMatch(/^QueryFailedError: .+\n {4}at /);
}

it('when a webhook cannot be stored: neither its URL nor its secret', async () => {
  const body = { name: 'W', url: 'https://hooks.example.com/path-T0K3N', events: ['experiment.started'] };
  const post = () => scene.client.post(`${scene.project}/webhooks`, body);
  const { status } = await refusing(scene.api, 'INSERT', 'webhooks', post);
  expect(status).toBe(500);
  expectStatement('INSERT INTO webhooks');
  expect(lines.join()).not.toMatch(/hooks\.example|T0K3N|whsec_/);
});

it('when a session cannot be stored: neither its hash nor the user agent', async () => {
  const visitor = new Visitor(scene.api, { 'user-agent': 'Agent/S3CR3T' });
  const person = await signer(scene.api);
  const { status } = await refusing(scene.api, 'INSERT', 'sessions', () => visitor.signIn(person));
  expect(status).toBe(500);
  expectStatement('INSERT INTO sessions');
  expect(lines.join()).not.toMatch(/S3CR3T|[0-9a-f]{64}/);
});

/** The error of a statement that fails. */
const failureOf = (sql: string, parameters: unknown[]): Promise<Error> =>
  scene.api.database
    .transaction((tx: Tx) => tx.query(sql, parameters))
    .then(
      () => Promise.reject(new Error('The statement succeeded.')),
      (error: unknown) => error as Error,
    );

const TAKEN = "in'S3CR3T'@example.com";
const insertUser = (table = 'users', id = 'NULL'): string =>
  `INSERT INTO ${table} (id, email, name, teams_version, created_at, updated_at) VALUES (${id}, ?, ?, 1, 1, 1)`;

/** Statements that fail, with errors that quote values or parts of the statement on MySQL and MariaDB. */
const FAILING: readonly (readonly [string, string, unknown[]])[] = [
  ['a duplicate', insertUser(), [TAKEN, 'A']],
  ['a value of the wrong type', insertUser('users', '?'), ['S3CR3T', 'b@example.com', 'B']],
  ['a missing value', insertUser(), ['S3CR3T@example.com', null]],
  ['a syntax error', insertUser().replace('VALUES', 'VALUE OF'), ['S3CR3T@example.com', '\n    at S3CR3T']],
  ['an unknown table', insertUser('nowhere'), ['S3CR3T@example.com', 'C']],
];

describe('when a statement fails', () => {
  beforeAll(() => scene.api.database.transaction((tx) => tx.query(insertUser(), [TAKEN, 'A'])));

  it.each(FAILING)('because of %s: no value, wherever the error is logged', async (_, sql, parameters) => {
    const error = await failureOf(sql, parameters);
    const outer = new Error('It failed', { cause: error });
    const logger = new Logger('Service');
    logger.error({ err: error });
    logger.error({ err: error }, 'It failed');
    logger.error(error);
    logger.error({ err: outer, msg: 'It failed' });
    logger.error({ reason: error, nested: { reasons: [error, outer] }, msg: 'It failed' });
    logger.error({ err: new AggregateError([error, outer], 'All failed') });
    logger.error({ err: Object.assign(new Error('It failed'), { response: { error } }) });
    logger.error('It failed', error, 'Service');
    Logger.error(error, error.stack);
    expect(lines).toHaveLength(9);
    expect(lines.join()).not.toContain('S3CR3T');
    expectStatement(sql);
  });

  it('names the unique key of a duplicate', async () => {
    new Logger('Service').error({ err: await failureOf(insertUser(), [TAKEN, 'A']) });
    expect(errors()[0].err?.message).toMatch(
      /^SqliteError: UNIQUE constraint failed: users\.email$|^Duplicate entry '\[hidden\]' for key '[\w.]+'$/,
    );
  });
});
