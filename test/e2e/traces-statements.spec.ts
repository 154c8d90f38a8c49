import { randomUUID } from 'node:crypto';
import { observing } from '../../src/database/statement-observer';
import type { Span } from '../../src/platform/metrics/tracing/otlp-exporter';
import { RequestTrace } from '../../src/platform/metrics/tracing/request-spans';
import { traceOf } from '../../src/platform/metrics/tracing/trace-context';
import type { TestApi, World } from '../support/api';
import { Collector, plain, type ReceivedSpan } from '../support/collector';
import { engine } from '../support/engine';
import { conversion } from '../support/events';
import { startLive } from '../support/live-server';
import { Maker } from '../support/scene';
import { signedIn, withPassword } from '../support/visitor';
import { eventually } from '../support/waiting';

/* The database statements of requests, as an OpenTelemetry collector receives them. */

const PARENT = 'b7ad6b7169203331';
const CLIENT = 3;

let collector: Collector;
let api: TestApi;
let world: World;
beforeAll(async () => {
  collector = await Collector.listen();
  api = await startLive({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.address });
  world = await api.world();
});
afterAll(async () => {
  await api.close();
  await collector.close();
});

const newTrace = (): string => randomUUID().replaceAll('-', '');

/** Sends a request over a keep-alive connection, in a separate trace. @returns the trace id */
async function traced(path: string, init: RequestInit = {}, trace = newTrace()): Promise<string> {
  const headers = {
    authorization: `Bearer ${world.people.admin.token}`,
    traceparent: `00-${trace}-${PARENT}-01`,
    ...(init.body !== undefined && { 'content-type': 'application/json' }),
  };
  const answer = await fetch(`${api.config.publicUrl}${path}`, { headers, ...init });
  await answer.arrayBuffer();
  expect(answer.status).toBeLessThan(300);
  return trace;
}

const inTrace = (trace: string): ReceivedSpan[] => collector.spans.filter(({ traceId }) => traceId === trace);

/** Waits for the span of a request and the spans of its statements, in order. The export takes seconds. */
async function spansOf(trace: string): Promise<{ request: ReceivedSpan; statements: ReceivedSpan[] }> {
  const request = () => inTrace(trace).find(({ parentSpanId }) => parentSpanId === PARENT);
  expect(await eventually(() => request() !== undefined)).toBe(true);
  return { request: request()!, statements: inTrace(trace).filter(({ kind }) => kind === CLIENT) };
}

const names = (spans: ReceivedSpan[]): string[] => spans.map(({ name }) => name);

function expectInside(outer: ReceivedSpan, spans: ReceivedSpan[]): void {
  for (const { parentSpanId, startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(parentSpanId).toBe(outer.spanId);
    expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(outer.startTimeUnixNano));
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(BigInt(outer.endTimeUnixNano));
  }
}

it('statements are children of the span of their request', async () => {
  const { request, statements } = await spansOf(await traced(`/api${world.project}/goals`));
  expect(names(statements)).toContain('SELECT goals');
  expectInside(request, statements);
});

it('statements have the attributes of the semantic conventions', async () => {
  const { statements } = await spansOf(await traced(`/api${world.project}/goals?search=needle`));
  const goals = statements.find(({ name }) => name === 'SELECT goals');
  const { 'db.query.text': text, ...attributes } = plain(goals?.attributes ?? []);
  expect(text).toMatch(/^SELECT .* FROM .?goals.? .*\?/);
  const { hostname, port, pathname } = new URL(api.databaseUrl);
  expect(attributes).toEqual(
    engine === 'sqlite'
      ? { 'db.system.name': 'sqlite', 'db.query.summary': 'SELECT goals' }
      : {
          'db.system.name': expect.stringMatching(/^(mysql|mariadb)$/),
          'db.namespace': pathname.slice(1),
          'server.address': hostname,
          'server.port': port,
          'db.query.summary': 'SELECT goals',
        },
  );
  expect(goals?.status).toEqual({});
});

it('statements belong to the request even if the request has a body, and no values of the body are exported', async () => {
  const body = JSON.stringify({ name: 'Needle in a haystack', description: 'needle' });
  const trace = await traced(`/api${world.project}/goals`, { method: 'POST', body });
  const next = await traced('/health/live');
  const { request, statements } = await spansOf(trace);
  expect(names(statements)).toEqual(expect.arrayContaining(['INSERT goals', 'COMMIT']));
  expectInside(request, statements);
  expect((await spansOf(next)).statements).toEqual([]);
  expect(JSON.stringify(collector.requests)).not.toMatch(/needle/i);
  expect(JSON.stringify(collector.requests)).not.toContain(world.people.admin.token);
});

it('the statements of an event commit are in the trace of one of its requests', async () => {
  const { client } = world.people.admin;
  const key = (await client.get(world.project)).body.client_key as string;
  const goal = await new Maker(client, world.project).goal();
  const post = (): Promise<string> => {
    const batch = [conversion(randomUUID(), goal.api_name as string)];
    return traced('/v1/batch', { method: 'POST', body: JSON.stringify({ writeKey: key, batch }) });
  };
  const alone = await spansOf(await post());
  expect(names(alone.statements)).toEqual(expect.arrayContaining(['INSERT events', 'COMMIT']));
  expectInside(alone.request, alone.statements);

  const traces = await Promise.all(Array.from({ length: 40 }, post));
  const all = await Promise.all(traces.map(spansOf));
  const commits = all.map(({ statements }) => names(statements).filter((name) => name === 'COMMIT').length);
  // A commit can include several requests, but no trace has the commits of later requests.
  expect(new Set([0, 1, ...commits])).toEqual(new Set([0, 1]));
  expect(commits).toContain(1);
  all.forEach(({ request, statements }) => expectInside(request, statements));
});

it('the API call of a form is a child of the form span', async () => {
  const { visitor } = await signedIn(api, await withPassword(api, world.people.admin));
  const before = collector.spans.length;
  const answer = await visitor.submit(`${world.project}/goals/new`, { name: 'By a form' });
  expect(answer.status).toBe(303);
  const find = (name: string) => collector.spans.slice(before).find((span) => span.name === name);
  const isThere = () => Promise.resolve(find('POST /projects/:project/goals/new') !== undefined);
  expect(await eventually(isThere)).toBe(true);
  const page = find('POST /projects/:project/goals/new');
  const call = find('POST /api/projects/:project/goals');
  expect(call).toMatchObject({ traceId: page?.traceId, parentSpanId: page?.spanId });
  const statements = inTrace(page?.traceId ?? '').filter(({ name }) => name === 'INSERT goals');
  expect(statements.map(({ parentSpanId }) => parentSpanId)).toEqual([call?.spanId]);
});

it('an unsampled trace has no statements', async () => {
  const skipped = newTrace();
  await fetch(`${api.config.publicUrl}/api${world.project}/goals`, {
    headers: {
      authorization: `Bearer ${world.people.admin.token}`,
      traceparent: `00-${skipped}-${PARENT}-00`,
    },
  });
  await spansOf(await traced('/health/delivery'));
  expect(inTrace(skipped)).toEqual([]);
});

describe('statements that are sent to the database directly', () => {
  let sent: Span[];
  let trace: RequestTrace;
  beforeEach(() => {
    sent = [];
    trace = new RequestTrace(traceOf(undefined), (span) => sent.push(span));
  });

  const query = (sql: string, values: unknown[] = []): Promise<unknown> =>
    observing(trace, () => api.database.read.query(sql, values));

  it('a failed statement has its error code, but nothing from its error message', async () => {
    const [sql, code] =
      engine === 'sqlite'
        ? ["SELECT json('secret' || ?)", 'SQLITE_ERROR']
        : ["SELECT 'secret' FROM nowhere WHERE id = ?", 'ER_NO_SUCH_TABLE'];
    await expect(query(sql, ['hidden'])).rejects.toThrow();
    const attributes = { 'error.type': code, 'db.response.status_code': code };
    expect(sent).toMatchObject([{ isError: true, attributes }]);
    expect(JSON.stringify(sent)).not.toMatch(/secret|hidden/);
  });

  it('a request has spans for its first hundred statements, and none after its end', async () => {
    for (let number = 0; number < 110; number += 1) {
      await query('SELECT 1 FROM teams');
    }
    expect(sent).toHaveLength(100);
    trace = new RequestTrace(traceOf(undefined), (span) => sent.push(span));
    trace.end({ name: 'GET /', isError: false, attributes: {} });
    await query('SELECT 1 FROM teams');
    expect(sent).toHaveLength(101);
  });

  it('a statement that the response does not wait for is omitted', async () => {
    const running = query('SELECT 1 FROM teams');
    const late = trace.begin('UPDATE api_tokens SET last_used_at = ?', { system: 'sqlite', server: null });
    await running;
    trace.end({ name: 'GET /', isError: false, attributes: {} });
    late?.(null);
    expect(sent.map(({ name }) => name)).toEqual(['SELECT teams', 'GET /']);
  });
});
