import type { OpenAPIObject } from '@nestjs/swagger';
import Ajv from 'ajv/dist/2020';
import { buildDocument } from '../../src/platform/reference/reference';
import { TestApi } from '../support/api';
import { isDeliveryPath } from '../support/routes';

/* The OpenAPI document. */

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: object;
}

interface Medium {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

type Content = Partial<Record<'application/json' | 'text/csv', Medium>>;

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface Path extends Partial<Record<(typeof METHODS)[number], Operation>> {
  parameters?: Parameter[];
}

let api: TestApi;
let document: OpenAPIObject;
let operations: { path: string; method: string; operation: Operation; shared: Parameter[] }[];

beforeAll(async () => {
  api = await TestApi.start();
  document = buildDocument(api.app, api.config);
  operations = Object.entries(document.paths as unknown as Record<string, Path>).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation, shared: item.parameters ?? [] }];
    }),
  );
});
afterAll(() => api.close());

const isApi = ({ path }: { path: string }): boolean => path.startsWith('/api/') && !isDeliveryPath(path);
const isVisitor = (path: string): boolean => path.endsWith('/{visitor}');

/** Single records, and settings or definitions, which are read like records. */
const isRecord = (path: string): boolean =>
  (path.endsWith('}') && !isLive(path)) || /\/(?:settings|definition)$/.test(path);

/** POST requests that change nothing. */
const CHANGES_NOTHING = /\/(find-by-name|plan)$/;
/** POST routes that return 200, because they create no record. */
const ACTION = /\/(?:rotate|rollback|revert|events|invitation|test|retry)$/;

const isComputed = (path: string): boolean => path.includes('/results') && !ACTION.test(path);
/** Lists that are always paginated. */
const isGrowing = (path: string): boolean => /\/(?:audit|deliveries|publications)$/.test(path);
/** Routes whose responses have no version. Those without pagination also have no ETag. */
const isLive = (path: string): boolean =>
  /\/(?:events\/recent|health|audit|deliveries|publications|publications\/preview|visitors\/\{visitor\})$/.test(
    path,
  );

/** The contents of an operation, each labelled `request` or with the response status. */
function contentsOf({
  operation: { requestBody, responses },
}: {
  operation: Operation;
}): [string, Content][] {
  const request: [string, Content][] = requestBody === undefined ? [] : [['request', requestBody.content]];
  const answers = Object.entries(responses).map(([status, { content }]): [string, Content | undefined] => [
    status,
    content,
  ]);
  return [...request, ...answers.filter((entry): entry is [string, Content] => entry[1] !== undefined)];
}

describe('the document', () => {
  it('is OpenAPI 3.1 with the public URL', () => {
    const { openapi, info, servers, components } = document;
    expect(openapi).toMatch(/^3\.1\.\d+$/);
    expect(info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(servers).toEqual([{ url: 'https://ab.example.com' }]);
    expect(components?.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer', description: expect.stringContaining('gos_') },
    });
    expect(components?.securitySchemes?.bearer).not.toHaveProperty('bearerFormat');
  });

  it('has no broken references', () => {
    const text = JSON.stringify(document);
    const targets = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target));
    const { schemas, headers } = document.components ?? {};
    const known = Object.entries({ schemas, headers }).flatMap(([kind, named]) =>
      Object.keys(named ?? {}).map((name) => `#/components/${kind}/${name}`),
    );
    expect(known).toEqual(expect.arrayContaining([...targets]));
  });

  it('contains only valid JSON Schema 2020-12, without keywords from older versions', () => {
    const ajv = new Ajv({ strict: false, formats: { 'date-time': true, uri: true } });
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      expect([name, ajv.validateSchema(schema)]).toEqual([name, true]);
      expect([name, JSON.stringify(schema)]).toEqual([
        name,
        expect.not.stringMatching(/"nullable":|"exclusiveM\w+":true/),
      ]);
    }
  });

  it('declares every path parameter', () => {
    const texts = ['clientKey', 'key', 'token', 'visitor'];
    const schemaOf = (name: string): object =>
      texts.includes(name) ? { type: 'string' } : { type: 'integer', minimum: 1 };
    for (const { path, operation, shared } of operations) {
      const inPath = [...shared, ...(operation.parameters ?? [])].filter(
        (parameter) => parameter.in === 'path',
      );
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(inPath.map(({ name, required, schema }) => ({ name, required, schema }))).toEqual(
        names.map((name) => ({ name, required: true, schema: schemaOf(name) })),
      );
    }
  });

  it('describes every parameter once, and gives it a schema', () => {
    for (const { operation, shared } of operations) {
      const parameters = [...shared, ...(operation.parameters ?? [])];
      const keys = parameters.map(({ name, in: place }) => `${place} ${name}`);
      expect(new Set(keys).size).toBe(keys.length);
      expect(parameters.every(({ schema }) => schema !== undefined)).toBe(true);
    }
  });
});

describe('every operation', () => {
  it('has a unique operationId, a summary and one tag', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) {
      const { operationId, summary, tags } = operation;
      expect(operationId).toMatch(/^[a-z][A-Za-z]+$/);
      expect([operationId, summary]).toEqual([operationId, expect.stringMatching(/^[A-Z].{5,}[^.]$/)]);
      expect([operationId, tags]).toEqual([operationId, [expect.any(String)]]);
    }
  });

  it('requires a bearer token, except for delivery and health', () => {
    for (const entry of operations.filter(({ path }) => !isDeliveryPath(path))) {
      expect([entry.path, entry.operation.security]).toEqual([
        entry.path,
        isApi(entry) ? [{ bearer: [] }] : [],
      ]);
    }
  });

  it('has a valid example of each body', () => {
    const ajv = new Ajv({ strict: false, formats: { 'date-time': true, uri: true } });
    ajv.addSchema({ $id: 'document', ...document });
    for (const entry of operations) {
      for (const [where, content] of contentsOf(entry)) {
        const place = `${entry.operation.operationId} ${where}`;
        const { schema, example, examples }: Medium = Object.values(content)[0] ?? { schema: {} };
        const values = [
          ...(example === undefined ? [] : [example]),
          ...Object.values(examples ?? {}).map(({ value }) => value),
        ];
        const validate = ajv.compile(
          JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object,
        );
        expect([place, values.length > 0, values.map((value) => validate(value))]).toEqual([
          place,
          true,
          values.map(() => true),
        ]);
      }
    }
  });

  it('describes each response', () => {
    for (const { operation } of operations) {
      for (const [status, { description }] of Object.entries(operation.responses)) {
        expect([operation.operationId, status, description]).toEqual([
          operation.operationId,
          status,
          expect.stringMatching(/.{5}/),
        ]);
      }
    }
  });

  it('has the parameters that are common to its kind', () => {
    for (const { path, method, operation } of operations.filter(isApi)) {
      const names = (operation.parameters ?? []).map(({ name }) => name).sort();
      const isList = method === 'get' && !isRecord(path) && !isComputed(path) && !isLive(path);
      const list = ['page', 'per_page', 'search', 'sort'];
      const history = ['action', 'after_id', 'item_id', 'item_type', 'search', 'since', 'until', 'user_id'];
      const filter = ['cohorts', 'deviceTypes', 'endDate', 'startDate'];
      const own: Record<string, string[]> = {
        listExperiments: ['fields', 'status', 'tags', 'variations'],
        showExperiment: ['fields'],
        showResults: filter,
        showGoalSeries: ['by', ...filter],
        downloadGoalSeries: ['by', ...filter],
        collectTrustedEvents: ['strict'],
        listRecentEvents: ['outcome', 'since'],
        listAuditEntries: [...history, 'page', 'per_page'],
        listPublications: ['page', 'per_page'],
        listWebhookDeliveries: ['page', 'per_page', 'status'],
        applyDefinition: ['prune', 'status'],
      };
      // Events have no ETag, so no precondition is possible.
      const tag = path.endsWith('/events') ? [] : ['If-Match'];
      const write = CHANGES_NOTHING.test(path) ? [] : [...tag, 'dry_run'];
      const read = isLive(path) && !isGrowing(path) ? [] : ['If-None-Match'];
      const tags = method === 'get' ? read : write;
      const key = method === 'post' ? ['Idempotency-Key'] : [];
      const expected = [...tags, ...key, ...(isList ? list : []), ...(own[operation.operationId] ?? [])];
      expect([operation.operationId, names]).toEqual([operation.operationId, expected.sort()]);
    }
  });
});

describe('every possible status', () => {
  const ALWAYS = [401, 403, 429, 500, 503];
  const WRITE = [400, 404, 412, 413, 415, 422];
  const KEYED = [...WRITE, 409];
  const KINDS: [kind: string, is: (path: string, method: string) => boolean, statuses: number[]][] = [
    ['list of teams', (path) => path === '/api/teams', [200, 304, 422]],
    [
      'list',
      (path, method) =>
        method === 'get' && !isRecord(path) && path !== '/api/teams' && !isComputed(path) && !isLive(path),
      [200, 304, 404, 422],
    ],
    ['list that only grows', isGrowing, [200, 304, 404, 422]],
    [
      'live list or preview',
      (path) => /\/(?:events\/recent|publications\/preview)$/.test(path),
      [200, 404, 422],
    ],
    ['live state', (path, method) => method === 'get' && path.endsWith('/health'), [200, 404]],
    ['visitor', (path, method) => method === 'get' && isVisitor(path), [200, 404]],
    ['visitor deletion', (path, method) => method === 'delete' && isVisitor(path), [204, ...WRITE]],
    ['results', (path) => isComputed(path) && !path.endsWith('/info'), [200, 304, 404, 422]],
    ['results info', (path) => path.endsWith('/results/info'), [200, 304, 404]],
    [
      'experiment',
      (path, method) => method === 'get' && path.endsWith('/{experiment}'),
      [200, 304, 404, 422],
    ],
    [
      'record',
      (path, method) =>
        method === 'get' && isRecord(path) && !path.endsWith('/{experiment}') && !isComputed(path),
      [200, 304, 404],
    ],
    ['find by name, or plan', (path) => CHANGES_NOTHING.test(path), [200, ...KEYED]],
    ['action', (path) => ACTION.test(path), [200, ...KEYED]],
    [
      'create',
      (path, method) => method === 'post' && !CHANGES_NOTHING.test(path) && !ACTION.test(path),
      [201, ...KEYED],
    ],
    ['update', (_, method) => ['put', 'patch'].includes(method), [200, ...WRITE]],
    ['delete', (path, method) => method === 'delete' && !isVisitor(path), [204, ...WRITE]],
  ];

  it.each(KINDS)('is documented: %s', (_, is, statuses) => {
    const found = operations.filter(isApi).filter(({ path, method }) => is(path, method));
    expect(found.length).toBeGreaterThan(0);
    for (const { operation } of found) {
      expect([operation.operationId, Object.keys(operation.responses).map(Number)]).toEqual([
        operation.operationId,
        [...ALWAYS, ...statuses].sort((a, b) => a - b),
      ]);
    }
  });

  it('is covered, because each operation belongs to exactly one of these kinds', () => {
    for (const { path, method } of operations.filter(isApi)) {
      expect([path, method, KINDS.filter(([, is]) => is(path, method)).length]).toEqual([path, method, 1]);
    }
  });
});
