import type { OpenAPIObject } from '@nestjs/swagger';
import { Ruleset, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import Ajv from 'ajv/dist/2020';
import { buildDocument } from '../../src/platform/reference/reference';
import { RESOURCES } from '../../src/resources/registry';
import { TestApi, testConfig } from '../support/api';

/* Checks the reference for missing descriptions, types and examples, which readers and client generators need. */

type Json = Record<string, unknown>;

interface Found {
  /** The keys that lead to the object. */
  path: string[];
  value: Json;
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

let api: TestApi;
let document: OpenAPIObject;
let everything: Found[];

beforeAll(async () => {
  api = await TestApi.start({ PUBLIC_URL: 'https://ab.gosset.test' });
  document = (await api.as(null).get('//docs/openapi.json')).body as OpenAPIObject;
  everything = [...objectsIn(document, [])];
});
afterAll(() => api.close());

/** All objects of the document, except those in examples, defaults and enums. */
function* objectsIn(value: unknown, path: string[]): Generator<Found> {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      yield* objectsIn(entry, [...path, String(index)]);
    }
  } else if (typeof value === 'object' && value !== null) {
    yield { path, value: value as Json };
    const isExample = (key: string): boolean =>
      ['example', 'examples', 'default', 'enum'].includes(key) && path.at(-1) !== 'properties';
    for (const [key, entry] of Object.entries(value).filter(([name]) => !isExample(name))) {
      yield* objectsIn(entry, [...path, key]);
    }
  }
}

const operations = (): Found[] =>
  everything.filter(
    ({ path }) => path.length === 3 && path[0] === 'paths' && METHODS.includes(path[2] ?? ''),
  );

/** The paths of the objects whose description is missing or shorter than `length` characters. */
const undescribed = (found: Found[], length: number): string[] =>
  found
    .filter(({ value: { description } }) => typeof description !== 'string' || description.length < length)
    .map(({ path }) => path.join(' '));

/** A reference needs no description, because its target has one. */
const isReference = ({ value }: Found): boolean => '$ref' in value;

const childrenOf = (key: string): Found[] =>
  everything.filter((found) => isUnder(key, found.path) && !isReference(found));

/**
 * Whether `path` leads to an entry of `key`, such as a property in `properties`. An entry may itself be named `key`, so
 * the number of repetitions of `key` before the last part must be odd.
 */
function isUnder(key: string, path: string[]): boolean {
  const parents = path.slice(0, -1);
  return (parents.length - 1 - parents.findLastIndex((part) => part !== key)) % 2 === 1;
}

describe('Spectral', () => {
  it('reports no problems in the served document', async () => {
    const spectral = new Spectral();
    // All rules of Spectral apply, recommended or not, except two: operators do not need to provide an e-mail
    // address, and tags are in the order in which new readers need them.
    const rules = { 'contact-properties': 'off', 'openapi-tags-alphabetical': 'off' };
    spectral.setRuleset(new Ruleset({ extends: [[oas, 'all']], rules }));
    const results = await spectral.run(JSON.stringify(document));
    const remarks = results.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`);
    expect(remarks).toEqual([]);
  });
});

describe('the operations of a tag are in the order in which readers need them:', () => {
  const pathsByTag = (): Map<string, string[]> => {
    const found = new Map<string, string[]>();
    for (const { path, value } of operations()) {
      const [tag] = value.tags as string[];
      found.set(tag, [...(found.get(tag) ?? []), path[1]]);
    }
    return found;
  };

  it('a collection or record comes before the paths below it', () => {
    const late = [...pathsByTag().values()].flatMap((paths) =>
      paths.filter((path, index) => paths.slice(0, index).some((other) => other.startsWith(`${path}/`))),
    );
    expect(late).toEqual([]);
  });

  it('the list comes first', () => {
    const first = [...pathsByTag()].map(([tag, [path]]) => `${tag} ${path}`);
    expect(first).toEqual(
      expect.arrayContaining([
        'Teams /api/teams',
        'Members /api/teams/{team}/members',
        'Projects /api/teams/{team}/projects',
        'Experiments /api/projects/{project}/experiments',
        'Webhooks /api/projects/{project}/webhooks',
        ...RESOURCES.map(({ chapter, path }) => `${chapter} /api/projects/{project}/${path}`),
      ]),
    );
  });
});

describe('there is a description for', () => {
  it('every operation, longer than its summary', () => {
    expect(operations().length).toBeGreaterThan(60);
    expect(undescribed(operations(), 100)).toEqual([]);
    const summaries = operations().map(({ value: { summary } }) => summary);
    expect(summaries).toEqual(summaries.map(() => expect.stringMatching(/^\S.{9,80}[^.]$/)));
  });

  it('every operation of the API, including the required token and role', () => {
    const withToken = operations().filter(
      ({ value }) => JSON.stringify(value.security) === '[{"bearer":[]}]',
    );
    const lines = withToken.map(({ value: { description } }) => String(description).split('\n').at(-1));
    expect(withToken.length).toBeGreaterThan(45);
    expect(lines).toEqual(
      lines.map(() => expect.stringMatching(/^\*\*Needs\*\* a token .* `(read|write)`\./)),
    );
    expect(document.paths['/api/projects/{project}']?.delete?.description).toMatch(
      /`write`\. Allowed roles: admin \(`project:delete`\)\.$/,
    );
  });

  it('every parameter', () => {
    const parameters = everything.filter(({ path }) => path.at(-2) === 'parameters');
    expect(parameters.length).toBeGreaterThan(100);
    expect(undescribed(parameters, 15)).toEqual([]);
  });

  it('every schema', () => {
    expect(undescribed(childrenOf('schemas'), 15)).toEqual([]);
  });

  it('every property, including those of nested schemas', () => {
    const properties = childrenOf('properties');
    expect(properties.length).toBeGreaterThan(300);
    expect(undescribed(properties, 8)).toEqual([]);
  });

  it('every response header', () => {
    expect(childrenOf('headers').length).toBeGreaterThan(100);
    expect(undescribed(childrenOf('headers'), 5)).toEqual([]);
  });

  it('every tag, and every operation has a tag', () => {
    expect(
      undescribed(
        (document.tags ?? []).map((tag) => ({ path: [tag.name], value: { ...tag } })),
        15,
      ),
    ).toEqual([]);
    const used = new Set(operations().flatMap(({ value: { tags } }) => tags as string[]));
    expect([...used].sort()).toEqual((document.tags ?? []).map(({ name }) => name).sort());
  });
});

it('a response header has the same description and schema in all responses, and numeric headers are integers', () => {
  const kinds = new Map<string, Set<string>>();
  for (const { path, value } of childrenOf('headers')) {
    const name = path.at(-1) ?? '';
    const kind = JSON.stringify([value.description, value.schema]);
    kinds.set(name, (kinds.get(name) ?? new Set()).add(kind));
  }
  expect([...kinds].filter(([, { size }]) => size > 1).map(([name]) => name)).toEqual([]);
  const integers = [...kinds].filter(([, [kind]]) => kind?.includes('"integer"')).map(([name]) => name);
  expect(integers).toEqual(
    expect.arrayContaining(['Retry-After', 'X-RateLimit-Reset', 'X-Snippet-Revision']),
  );
});

describe('every object schema', () => {
  it('lists its fields or declares that any fields are possible', () => {
    const open = everything.filter(
      ({ value }) =>
        value.type === 'object' && !('properties' in value) && !('additionalProperties' in value),
    );
    expect(open.map(({ path }) => path.join(' '))).toEqual([]);
  });

  it('lists its required properties even if it is the value of a field, except in bodies without any', () => {
    const lacking = everything.filter(
      ({ path, value }) =>
        [value.type].flat().includes('object') &&
        'properties' in value &&
        !('required' in value) &&
        path.includes('properties'),
    );
    expect([...new Set(lacking.map(({ path }) => path[2]))].sort()).toEqual([
      'Conversions',
      'DecisionRequest',
      'EventMessage',
      'PayloadRequest',
      'SegmentMessage',
    ]);
  });

  it('requires the same properties of a decision as the server', () => {
    const decisions = Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) => {
      const { properties = {}, required = [] } = schema as { properties?: Json; required?: string[] };
      const decision = properties.decision as { required?: string[] } | undefined;
      return decision === undefined ? [] : [[name, required.includes('decision'), decision.required]];
    });
    const shown = ['outcome', 'variation_id', 'note', 'decided_at', 'decided_by'];
    expect(decisions).toHaveLength(5);
    expect(decisions).toEqual(
      expect.arrayContaining([
        ['ExperimentRecord', true, shown],
        ['LiteExperimentRecord', true, shown],
        ['PartialExperimentRecord', false, shown],
        ['DryRunExperimentRecord', true, shown],
        ['UpdateExperiment', false, ['outcome']],
      ]),
    );
  });
});

it('the name in find-by-name has the same limits as on the server', () => {
  const { properties } = document.components?.schemas?.FindByName as { properties: Json };
  expect(properties.name).toMatchObject({ type: 'string', minLength: 1, maxLength: 2_000 });
});

describe('client generators', () => {
  it('get different names for all fields of a schema, in any naming convention', () => {
    const twice = everything
      .filter(({ path }) => path.at(-1) === 'properties' && isUnder('properties', [...path, '']))
      .flatMap(({ path, value }) => {
        const names = Object.keys(value).map((name) => name.replaceAll('_', '').toLowerCase());
        return names.filter((name, index) => names.indexOf(name) < index).map((name) => [...path, name]);
      });
    expect(twice.map((path) => path.join(' '))).toEqual([]);
  });
});

describe('every example', () => {
  const ajv = (): Ajv => {
    const compiler = new Ajv({
      strict: false,
      allErrors: true,
      formats: { 'date-time': MICROSECONDS, uri: (text: string) => URL.canParse(text) },
    });
    return compiler.addSchema({ $id: 'document', ...document });
  };

  it('is valid for its schema, without undocumented fields: bodies in each media type, parameters, and properties', () => {
    const compiler = ajv();
    const problems: string[] = [];
    let count = 0;
    for (const { path, value } of everything) {
      const schema = value.schema ?? (isSchema(path) ? value : null);
      for (const example of schema === null ? [] : examplesOf(value)) {
        // Generated clients have only the documented fields.
        const closed = { ...(schema as Json), unevaluatedProperties: false };
        const text = JSON.stringify(closed).replaceAll('"#/', '"document#/');
        const isValid = compiler.validate(JSON.parse(text) as Json, example);
        count += 1;
        problems.push(...(isValid ? [] : [`${path.join(' ')}: ${compiler.errorsText()}`]));
      }
    }
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThan(500);
  });

  const isSchema = (path: string[]): boolean => ['properties', 'schemas'].includes(path.at(-2) ?? '');

  const examplesOf = ({ example, examples, default: usual }: Json): unknown[] => [
    ...[example, usual].filter((value) => value !== undefined),
    ...Object.values((examples ?? {}) as Record<string, { value: unknown }>).map(({ value }) => value),
  ];
});

describe('the introduction', () => {
  it.each(['https://ab.example.com', 'https://example.com/tests'])(
    'explains how to get a token at %s',
    (publicUrl) => {
      const { info, servers } = buildDocument(api.app, testConfig({ PUBLIC_URL: publicUrl }));
      const links = [...(info.description ?? '').matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
      expect(links).toEqual(
        ['login', 'settings/api-tokens', 'docs/openapi.json', 'docs/openapi.yaml'].map(
          (path) => `${publicUrl}/${path}`,
        ),
      );
      expect(servers).toEqual([{ url: publicUrl }]);
      for (const subject of [
        'tokens:create',
        'Authorize',
        'If-Match',
        'Idempotency-Key',
        'dry_run',
        'Retry-After',
      ]) {
        expect(info.description).toContain(subject);
      }
    },
  );

  it('links to existing pages', async () => {
    for (const path of ['/login', '/settings/api-tokens', '/docs/openapi.json', '/docs/openapi.yaml']) {
      const { status } = await api.as(null).get(`/${path}`);
      expect([path, status < 400]).toEqual([path, true]);
    }
  });
});
