import { buildDocument } from '../../src/platform/reference/reference';
import { TestApi } from '../support/api';
import { isDeliveryPath } from '../support/routes';

/* The reference of the routes that sites and their back ends use. */

interface Operation {
  security: object[];
  tags: string[];
  responses: Record<string, unknown>;
}

/** The URLs of Segment's HTTP API, except `/v1/batch` and `/v1/track`, and the URLs of Jitsu. */
const SEGMENT_PATHS = [
  ...['b', 't', 'page', 'p', 'identify', 'i', 'group', 'g', 'alias', 'a', 'screen', 's'].map(
    (name) => `/v1/${name}`,
  ),
  ...['track', 'page', 'identify'].flatMap((name) => [`/api/s/${name}`, `/api/s/s2s/${name}`]),
];

let api: TestApi;
let operations: { path: string; method: string; operation: Operation }[];

beforeAll(async () => {
  api = await TestApi.start();
  const paths = Object.entries(buildDocument(api.app, api.config).paths);
  operations = paths
    .filter(([path]) => isDeliveryPath(path))
    .flatMap(([path, item]) =>
      (['get', 'post'] as const).flatMap((method) => {
        const operation = item[method] as Operation | undefined;
        return operation === undefined ? [] : [{ path, method, operation }];
      }),
    );
});
afterAll(() => api.close());

it('the reference covers every delivery path, grouped by three tags', () => {
  const tags = operations.map(({ method, path, operation }) => [`${method} ${path}`, ...operation.tags]);
  expect(Object.fromEntries(tags)).toEqual({
    'get /api/features/{clientKey}': 'Delivery',
    'get /s/{clientKey}.js': 'Delivery',
    'get /s/{clientKey}/preview/{token}.js': 'Delivery',
    'get /s/{clientKey}/{revision}.js': 'Delivery',
    'get /sub/{clientKey}': 'Delivery',
    'get /v1/visitor': 'Delivery',
    'post /api/eval/{clientKey}': 'Decisions',
    'post /ofrep/v1/evaluate/flags': 'Decisions',
    'post /ofrep/v1/evaluate/flags/{key}': 'Decisions',
    'post /track': 'Collection',
    'post /v1/batch': 'Collection',
    'post /v1/decide': 'Decisions',
    'post /v1/track': 'Collection',
    ...Object.fromEntries(SEGMENT_PATHS.map((path) => [`post ${path}`, 'Collection'])),
  });
});

it('delivery operations require a client key, in the path or in one of three other places', () => {
  const places = [{ clientKey: [] }, { clientKeyHeader: [] }, { clientKeyQuery: [] }];
  for (const { path, operation } of operations) {
    const expected = path.includes('{clientKey}') ? [] : places;
    // The key can also be in the body of a batch or message.
    const mayBeInBody = ['/v1/batch', '/v1/track', ...SEGMENT_PATHS].includes(path);
    expect([path, operation.security]).toEqual([path, mayBeInBody ? [...places, {}] : expected]);
  }
});

it('delivery operations list every possible status', () => {
  const body = [400, 413, 415];
  const statuses: Record<string, number[]> = {
    '/api/features/{clientKey}': [200, 304, 404, 422],
    '/s/{clientKey}.js': [200, 304, 404],
    '/s/{clientKey}/preview/{token}.js': [200, 404],
    '/s/{clientKey}/{revision}.js': [200, 304, 404],
    '/sub/{clientKey}': [200, 404, 422],
    '/v1/visitor': [200, 401],
    '/api/eval/{clientKey}': [200, 404, 422, ...body],
    '/ofrep/v1/evaluate/flags': [200, 304, 401, ...body],
    '/ofrep/v1/evaluate/flags/{key}': [200, 401, 404, ...body],
    '/track': [200, 401, ...body],
    '/v1/batch': [200, 401, ...body],
    '/v1/decide': [200, 401, 422, ...body],
    '/v1/track': [200, 204, 401, 422, ...body],
    ...Object.fromEntries(SEGMENT_PATHS.map((path) => [path, [200, 401, ...body]])),
  };
  for (const { path, operation } of operations) {
    // Scripts are public. Everything else can be restricted to the project's allowed origins.
    const origin = path.startsWith('/s/') ? [] : [403];
    const expected = [...statuses[path], ...origin, 429, 500, 503].sort((a, b) => a - b);
    expect([path, Object.keys(operation.responses).map(Number)]).toEqual([path, expected]);
  }
});
