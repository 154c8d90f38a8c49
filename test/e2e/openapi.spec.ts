import type { OpenAPIObject } from '@nestjs/swagger';
import Ajv from 'ajv/dist/2020';
import { load } from 'js-yaml';
import { buildDocument } from '../../src/reference/reference';
import { TestApi } from '../support/api';
import { isDeliveryPath } from '../support/routes';

/* The OpenAPI document and the page that shows it. */

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
const isComputed = (path: string): boolean => path.includes('/results');

/** The contents of a whole operation, by where they are. */
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
  it('is OpenAPI 3.1 of the API as it is reached from outside', () => {
    const { openapi, info, servers, components } = document;
    expect(openapi).toMatch(/^3\.1\.\d+$/);
    expect(info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(servers).toEqual([{ url: 'https://ab.example.com' }]);
    expect(components?.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer', description: expect.stringContaining('gos_') },
    });
    expect(components?.securitySchemes?.bearer).not.toHaveProperty('bearerFormat');
  });

  it('has only references that lead somewhere', () => {
    const text = JSON.stringify(document);
    const targets = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target));
    const known = Object.keys(document.components?.schemas ?? {}).map(
      (name) => `#/components/schemas/${name}`,
    );
    expect(known).toEqual(expect.arrayContaining([...targets]));
  });

  it('has only schemas that JSON Schema 2020-12 accepts, without words of older versions', () => {
    const ajv = new Ajv({ strict: false, formats: { 'date-time': true, uri: true } });
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      expect([name, ajv.validateSchema(schema)]).toEqual([name, true]);
      expect([name, JSON.stringify(schema)]).toEqual([
        name,
        expect.not.stringMatching(/"nullable":|"exclusiveM\w+":true/),
      ]);
    }
  });

  it('names every part of a path that varies', () => {
    const texts = ['clientKey', 'key', 'token'];
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

  it('describes every parameter once, with a schema', () => {
    for (const { operation, shared } of operations) {
      const parameters = [...shared, ...(operation.parameters ?? [])];
      const keys = parameters.map(({ name, in: place }) => `${place} ${name}`);
      expect(new Set(keys).size).toBe(keys.length);
      expect(parameters.every(({ schema }) => schema !== undefined)).toBe(true);
    }
  });
});

describe('every operation', () => {
  it('has an operationId of its own, a summary and one tag', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) {
      const { operationId, summary, tags } = operation;
      expect(operationId).toMatch(/^[a-z][A-Za-z]+$/);
      expect([operationId, summary]).toEqual([operationId, expect.stringMatching(/^[A-Z].{5,}[^.]$/)]);
      expect([operationId, tags]).toEqual([operationId, [expect.any(String)]]);
    }
  });

  it('asks for a bearer token, apart from those of delivery and about health', () => {
    for (const entry of operations.filter(({ path }) => !isDeliveryPath(path))) {
      expect([entry.path, entry.operation.security]).toEqual([
        entry.path,
        isApi(entry) ? [{ bearer: [] }] : undefined,
      ]);
    }
  });

  it('has an example of each body, and the example is one', () => {
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

  it('describes each answer', () => {
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

  it('has the parameters of its kind', () => {
    for (const { path, method, operation } of operations.filter(isApi)) {
      const names = (operation.parameters ?? []).map(({ name }) => name).sort();
      const isList = method === 'get' && !path.endsWith('}') && !isComputed(path);
      const list = ['page', 'per_page', 'search', 'sort'];
      const filter = ['deviceTypes', 'endDate', 'startDate'];
      const own: Record<string, string[]> = {
        listExperiments: ['fields', 'status', 'tags', 'variations'],
        showExperiment: ['fields'],
        showResults: filter,
        showGoalSeries: filter,
        downloadGoalSeries: filter,
      };
      const write = path.endsWith('/find-by-name') ? [] : ['If-Match', 'dry_run'];
      const tags = method === 'get' ? ['If-None-Match'] : write;
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
      (path, method) => method === 'get' && !path.endsWith('}') && path !== '/api/teams' && !isComputed(path),
      [200, 304, 404, 422],
    ],
    ['results', (path) => isComputed(path) && !path.endsWith('/info'), [200, 304, 404, 422]],
    ['what results are about', (path) => path.endsWith('/results/info'), [200, 304, 404]],
    [
      'experiment',
      (path, method) => method === 'get' && path.endsWith('/{experiment}'),
      [200, 304, 404, 422],
    ],
    [
      'record',
      (path, method) =>
        method === 'get' && path.endsWith('}') && !path.endsWith('/{experiment}') && !isComputed(path),
      [200, 304, 404],
    ],
    ['find by name', (path) => path.endsWith('/find-by-name'), [200, ...KEYED]],
    ['create', (path, method) => method === 'post' && !path.endsWith('/find-by-name'), [201, ...KEYED]],
    ['update', (_, method) => ['put', 'patch'].includes(method), [200, ...WRITE]],
    ['delete', (_, method) => method === 'delete', [204, ...WRITE]],
  ];

  it.each(KINDS)('%s', (_, is, statuses) => {
    const found = operations.filter(isApi).filter(({ path, method }) => is(path, method));
    expect(found.length).toBeGreaterThan(0);
    for (const { operation } of found) {
      expect([operation.operationId, Object.keys(operation.responses).map(Number)]).toEqual([
        operation.operationId,
        [...ALWAYS, ...statuses].sort((a, b) => a - b),
      ]);
    }
  });

  it('is of one of these kinds', () => {
    for (const { path, method } of operations.filter(isApi)) {
      expect([path, method, KINDS.filter(([, is]) => is(path, method)).length]).toEqual([path, method, 1]);
    }
  });
});

describe('what is served', () => {
  const get = (address: string) => api.as(null).get(`/${address}`);

  it('is the document as JSON and as YAML, without a token', async () => {
    const [json, yaml] = [await get('/docs/openapi.json'), await get('/docs/openapi.yaml')];
    expect([json.status, yaml.status]).toEqual([200, 200]);
    expect(json.headers['content-type']).toMatch(/^application\/json/);
    expect(yaml.headers['content-type']).toMatch(/yaml/);
    const expected = JSON.parse(JSON.stringify(document)) as unknown;
    expect(json.body).toEqual(expected);
    expect(load(yaml.text)).toEqual(expected);
  });

  it.each(['/docs', '/docs/'])(
    'at %s is a page all of whose parts come from this server',
    async (address) => {
      const { status, headers, text } = await get(address);
      expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/html/)]);
      const parts = [...text.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, part = '']) => part);
      expect(parts.length).toBeGreaterThanOrEqual(4);
      expect(parts.filter((part) => /^(?:\w+:)?\/\//.test(part))).toEqual([]);
      for (const part of parts) {
        const { pathname } = new URL(part, `https://ab.example.com${address}`);
        const answer = await get(pathname);
        expect([part, answer.status, answer.text.length > 100]).toEqual([part, 200, true]);
      }
      expect(text).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/);
    },
  );

  it.each(['/docs', '/docs/', '/docs/swagger-ui.css', '/docs/openapi.json'])(
    '%s may load nothing else',
    async (address) => {
      const policy = (await get(address)).headers['content-security-policy'] ?? '';
      const directives = Object.fromEntries(
        policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]),
      );
      expect(directives).toMatchObject({
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'connect-src': ["'self'"],
        'frame-ancestors': ["'none'"],
      });
      expect(policy).not.toMatch(/https?:|\*/);
    },
  );

  it.each(['/api/teams', '/health/live', '/nothing', '/docsx'])(
    '%s may load nothing at all',
    async (address) => {
      const { headers } = await get(address);
      expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers['x-content-type-options']).toBe('nosniff');
    },
  );

  it('sends what its reader tries out to where the page comes from, if it is not the public address', async () => {
    const { text } = await get('/docs/swagger-ui-init.js');
    const [, servers = ''] = /"servers": (\[[^\]]*\])/.exec(text) ?? [];
    expect(JSON.parse(servers)).toEqual([{ url: '/' }, { url: 'https://ab.example.com' }]);
  });

  it('lets its reader authorize', async () => {
    const { text } = await get('/docs/swagger-ui-init.js');
    expect(text).toContain('"securitySchemes"');
    expect(text).toContain('"persistAuthorization": true');
  });
});
