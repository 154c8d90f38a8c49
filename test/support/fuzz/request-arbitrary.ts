import type { OpenAPIObject } from '@nestjs/swagger';
import fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { nastyText, nastyValue, PICKS, RecordId, recordId } from './schema-arbitrary';
import { Schema, SchemaArbitraries, withRecords } from './schema-arbitrary';

interface Parameter {
  name: string;
  in: string;
  schema?: Schema;
}

interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
}

export const CALLERS = ['admin', 'editor', 'viewer', 'outsider', 'invalid', 'nobody'] as const;

/** A planned request. The records that it names are chosen from the existing ones only when it is sent. */
export interface Plan {
  method: string;
  /** The path as written in the reference, such as `/api/teams/{team}/projects`. */
  path: string;
  caller: (typeof CALLERS)[number];
  ids: Record<string, RecordId | string>;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  /** A string is sent unchanged, any other value as JSON; undefined for no body. */
  body: unknown;
}

const METHODS = ['get', 'put', 'patch', 'post', 'delete'];
const WRONG_IDS = [
  '0',
  '-1',
  '2147483647',
  '99999999999999999999',
  'abc',
  '%00',
  '1.5',
  '%F0%9F%98%80',
  'x'.repeat(900),
];
const TAGS = ['*', '"0"', 'W/"1"', '"", ""', 'nonsense', '"1-2", *'];
const BROKEN_BODIES = [
  '{',
  '[]',
  'null',
  '"text"',
  '{"name": "A"} x',
  '\u0000',
  '{"a":'.repeat(2_000),
  'x'.repeat(1_100_000),
];
const OTHER_TYPES = [
  'text/plain',
  'application/xml',
  'application/json; charset=latin1',
  'no/type/at all',
  'multipart/form-data',
];

const often = <T>(usual: Arbitrary<T>, rare: Arbitrary<T>, weight = 9): Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare });

/** Replaces one value with an invalid one in a body that is otherwise mostly valid. */
function damaged(body: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.tuple(body, fc.nat(20), nastyText, nastyValue).map(([value, place, name, nasty]) => {
    if (typeof value !== 'object' || value === null || value instanceof RecordId) {
      return nasty;
    }
    const keys = Object.keys(value);
    const key = keys[place] ?? (place % 2 === 0 ? name.slice(0, 40) : keys[0]);
    return Array.isArray(value) ? [...(value as unknown[]), nasty] : { ...value, [key ?? 'extra']: nasty };
  });
}

const examplesOf = ({ example, examples = {} }: MediaType): unknown[] =>
  [example, ...Object.values(examples).map(({ value }) => value)].filter((each) => each !== undefined);

function bodies(content: Record<string, MediaType>, schemas: SchemaArbitraries): Arbitrary<unknown> {
  const media = content['application/json'];
  const fitting = schemas.of(media.schema ?? {});
  const examples = examplesOf(media);
  const good =
    examples.length === 0
      ? fitting
      : fc.oneof(
          fitting,
          fc
            .tuple(fc.constantFrom(...examples), fc.nat(PICKS))
            .map(([example, pick]) => withRecords(example, pick)),
        );
  return fc.oneof(
    { weight: 12, arbitrary: good },
    { weight: 6, arbitrary: damaged(good) },
    { weight: 1, arbitrary: nastyValue },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN_BODIES) },
  );
}

const pathIds = (path: string): Arbitrary<Record<string, RecordId | string>> =>
  fc.record(
    Object.fromEntries(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [
        name,
        often<RecordId | string>(recordId(name), fc.constantFrom(...WRONG_IDS), 15),
      ]),
    ),
  );

const queryOf = (parameters: Parameter[], schemas: SchemaArbitraries): Arbitrary<[string, string][]> => {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const pairs = known.map(({ name, schema = {} }) =>
    fc.tuple(fc.constant(name), often(schemas.of(schema).map(String), nastyText, 3)),
  );
  return pairs.length === 0
    ? fc.constant([])
    : often(fc.constant([]), fc.array(fc.oneof(...pairs), { maxLength: 3 }), 1);
};

const HEADERS: Readonly<Record<string, Arbitrary<string>>> = {
  'If-Match': fc.constantFrom(...TAGS),
  'If-None-Match': fc.constantFrom(...TAGS),
  'Idempotency-Key': fc.constantFrom('', 'k', 'key-1', 'key-2', 'x'.repeat(300)),
};

function headersOf(parameters: Parameter[]): Arbitrary<Record<string, string>> {
  const known = parameters.filter((parameter) => parameter.in === 'header' && parameter.name in HEADERS);
  const own = fc.record(Object.fromEntries(known.map(({ name }) => [name.toLowerCase(), HEADERS[name]])), {
    requiredKeys: [],
  });
  const odd = fc.record({ 'content-type': fc.constantFrom(...OTHER_TYPES) });
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: own as Arbitrary<Record<string, string>> },
    { weight: 1, arbitrary: odd },
  );
}

const callers = fc.oneof(
  { weight: 24, arbitrary: fc.constant<Plan['caller']>('admin') },
  { weight: 1, arbitrary: fc.constantFrom(...CALLERS) },
);

/** Requests to every operation in the reference. Most are well-formed and refer to existing records. */
export function requestsOf(document: OpenAPIObject): Arbitrary<Plan> {
  const schemas = new SchemaArbitraries(document.components?.schemas ?? {});
  const plans = Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => method in methods).map((method) => {
      const { parameters = [], requestBody } = (methods as Record<string, Operation>)[method];
      return fc.record<Plan>({
        method: fc.constant(method.toUpperCase()),
        path: fc.constant(path),
        caller: callers,
        ids: pathIds(path),
        query: queryOf(parameters, schemas),
        headers: headersOf(parameters),
        body: requestBody === undefined ? fc.constant(undefined) : bodies(requestBody.content, schemas),
      });
    }),
  );
  return fc.oneof(...plans);
}
