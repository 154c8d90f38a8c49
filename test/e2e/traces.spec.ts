import { Logger } from '@nestjs/common';
import { VERSION } from '../../src/config/version';
import { OtlpExporter, type Span } from '../../src/platform/metrics/tracing/otlp-exporter';
import { TestApi } from '../support/api';
import { Collector, plain, type ReceivedSpan } from '../support/collector';
import { freePort, ServerProcess } from '../support/server-process';
import { createMigratedDatabase } from '../support/template';
import { eventually } from '../support/waiting';

/* Spans of requests, as an OpenTelemetry collector receives them. */

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

describe('with a collector', () => {
  let collector: Collector;
  let api: TestApi;
  beforeAll(async () => {
    collector = await Collector.listen();
    api = await TestApi.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.address}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=s=cret, x-team=web, Authorization=Basic%20YTpi%2CYw==',
      OTEL_SERVICE_NAME: 'experiments',
    });
  });
  afterAll(async () => {
    await api.close();
    await collector.close();
  });

  const send = (url: string, headers: Record<string, string> = {}) => api.app.inject({ url, headers });
  const spanNamed = async (name: string): Promise<ReceivedSpan | undefined> => {
    const isThere = (): Promise<boolean> =>
      Promise.resolve(collector.spans.some((span) => span.name === name));
    expect([name, await eventually(isThere)]).toEqual([name, true]);
    return collector.spans.find((span) => span.name === name);
  };

  it('a request continues the trace of the caller', async () => {
    const answer = await send('/health/live', { traceparent: `00-${TRACE}-${PARENT}-01` });
    const span = await spanNamed('GET /health/live');
    expect(span).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 2, status: {} });
    expect(answer.headers.traceresponse).toBe(`00-${TRACE}-${span?.spanId}-01`);
    expect(plain(span?.attributes ?? [])).toEqual({
      'http.request.method': 'GET',
      'http.route': '/health/live',
      'http.response.status_code': '200',
      'gosset.request_id': answer.headers['x-request-id'],
    });
    expect(BigInt(span?.endTimeUnixNano ?? 0) >= BigInt(span?.startTimeUnixNano ?? 1)).toBe(true);
  });

  it('a request without a trace starts a new trace, which contains no secrets from the URL', async () => {
    const { project, people } = await api.world();
    const authorization = `Bearer ${people.viewer.token}`;
    const answer = await send(`/api${project}/goals?search=secret`, { authorization });
    const span = await spanNamed('GET /api/projects/:project/goals');
    expect(span?.parentSpanId).toBeUndefined();
    expect(answer.headers.traceresponse).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
    await send('/share/secret-link');
    await spanNamed('GET /share/:token');
    expect(JSON.stringify(collector.requests)).not.toMatch(/secret|search=/);
    expect(JSON.stringify(collector.requests)).not.toContain(people.viewer.token);
  });

  it('a trace that the caller does not sample is not exported', async () => {
    const skipped = 'a'.repeat(32);
    const answer = await send('/health/ready', { traceparent: `00-${skipped}-${PARENT}-00` });
    expect(answer.headers.traceresponse).toMatch(new RegExp(`^00-${skipped}-[0-9a-f]{16}-00$`));
    await send('/health/delivery');
    await spanNamed('GET /health/delivery');
    expect(collector.spans.filter(({ traceId }) => traceId === skipped)).toEqual([]);
  });

  it('the export has the configured headers, the service name and the version', () => {
    const [{ url, headers, body }] = collector.requests as [(typeof collector.requests)[number]];
    expect([url, headers['x-api-key'], headers['x-team']]).toEqual(['/v1/traces', 's=cret', 'web']);
    expect(headers.authorization).toBe('Basic YTpi,Yw==');
    expect(plain(body.resourceSpans[0]?.resource.attributes ?? [])).toEqual({
      'service.name': 'experiments',
      'service.version': VERSION,
    });
  });
});

it('remaining spans are sent when the server stops', async () => {
  const collector = await Collector.listen();
  const api = await TestApi.start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.address });
  await api.app.inject({ url: '/health/live', headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
  await api.close();
  expect(collector.spans.map(({ traceId }) => traceId)).toEqual([TRACE]);
  await collector.close();
});

it('all waiting spans are sent when the server stops, not only the first batches', async () => {
  const collector = await Collector.listen();
  const exporter = new OtlpExporter(
    { endpoint: collector.address, headers: {}, serviceName: 'experiments' },
    new Logger(),
  );
  const span: Span = {
    ...{ traceId: TRACE, spanId: PARENT, isSampled: true, parentId: null, kind: 'server', name: 'GET /' },
    ...{ startedAt: 1, endedAt: 2, isError: false, attributes: {} },
  };
  for (let number = 0; number < 2_000; number += 1) {
    exporter.add(span);
  }
  await exporter.close();
  expect(collector.spans).toHaveLength(2_000);
  await collector.close();
});

it.each(['away', 'failing'])('tracing does not affect requests if the collector is %s', async (state) => {
  const collector = await Collector.listen(503);
  const address = state === 'away' ? `http://127.0.0.1:${await freePort()}` : collector.address;
  const api = await TestApi.start({ OTEL_EXPORTER_OTLP_ENDPOINT: address });
  const REQUESTS = 1_200;
  const statuses = new Set<number>();
  for (let number = 0; number < REQUESTS; number += 1) {
    statuses.add((await api.app.inject({ url: '/health/live' })).statusCode);
  }
  expect(statuses).toEqual(new Set([200]));
  await api.close();
  expect(collector.spans.length > 0).toBe(state === 'failing');
  await collector.close();
});

it('the server logs the trace id', async () => {
  const store = await createMigratedDatabase();
  const collector = await Collector.listen();
  const settings = { DATABASE_URL: store.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.address };
  const server = await (await ServerProcess.spawn(settings)).ready();
  await fetch(`${server.address}/health/live`, { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
  const isLogged = (): Promise<boolean> =>
    Promise.resolve(
      server.logLines().some(({ traceId, url }) => traceId === TRACE && url === '/health/live'),
    );
  expect(await eventually(isLogged)).toBe(true);
  server.kill('SIGTERM');
  await server.exit;
  expect(collector.spans.map(({ traceId }) => traceId)).toContain(TRACE);
  await collector.close();
  await store.remove();
});

it('tracing is off without an endpoint', async () => {
  const api = await TestApi.start();
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
  const answer = await api.app.inject({ url: '/health/live', headers });
  expect(answer.headers.traceresponse).toBeUndefined();
  await api.close();
});
