import fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  format?: string;
  pattern?: string;
}

/** A placeholder for the id of a record. It is replaced by an existing record when the request is sent. */
export class RecordId {
  constructor(
    readonly kind: string,
    readonly pick: number,
  ) {}
}

const MAX_DEPTH = 4;
const MAX_ENTRIES = 4;
export const PICKS = 1_000_000;
/** Numbers have up to four decimal places, like the amounts and percentages in the API. */
const SCALE = 10_000;

/** Properties that refer to records, with the type of the record. */
const NAMED_RECORDS: Readonly<Record<string, string>> = {
  experiment_id: 'experiment',
  variation_id: 'variation',
  goal_id: 'goal',
  page_id: 'page',
  audiences: 'audience',
  pages: 'page',
  goals: 'goal',
  environments: 'environment',
  targetingKey: 'visitor',
  anonymousId: 'visitor',
};

export const recordId = (kind: string): Arbitrary<RecordId> =>
  fc.nat(PICKS).map((pick) => new RecordId(kind, pick));

/**
 * Strings that often break servers: other scripts, control characters, strings that look like numbers, long strings.
 */
export const nastyText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e309',
    'NaN',
    'null',
    '__proto__',
    'constructor',
    "'; --",
    '%',
    '_',
    '\\',
    '\u0000',
    '\ud800',
    '\u202e\u0645\u0631\u062d\u0628\u0627',
    '＝1+1',
    '(a+)+$',
    '(?<=a)b',
    '[',
    'é'.normalize('NFD'),
    '😀'.repeat(300),
    'x'.repeat(70_000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** An example from the reference whose ids are replaced with those of existing records. */
export function withRecords(example: unknown, pick: number): unknown {
  if (Array.isArray(example)) {
    return example.map((entry) => withRecords(entry, pick));
  }
  if (typeof example !== 'object' || example === null) {
    return example;
  }
  const entries = Object.entries(example).map(([key, value]: [string, unknown]) =>
    key in NAMED_RECORDS && typeof value !== 'object'
      ? [key, new RecordId(NAMED_RECORDS[key], pick)]
      : [key, withRecords(value, pick)],
  );
  return Object.fromEntries(entries);
}

const NASTY_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.1,
  1e21,
  2 ** 53,
  -(2 ** 31),
  [],
  {},
  [[]],
  [null],
  { id: 1 },
];

/** Any JSON value. None may break the server. */
export const nastyValue: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...NASTY_VALUES),
  nastyText,
  fc.jsonValue({ maxDepth: 3 }),
);

const texts = ({ format, minLength = 0, maxLength = 60 }: Schema): Arbitrary<string> => {
  if (format === 'date-time') {
    return fc.constantFrom('2026-05-01T09:30:00.000000Z', '2026-05-01T09:30:00Z', '1970-01-01T00:00:00Z');
  }
  const longest = Math.max(minLength, Math.min(maxLength, 60));
  return fc.oneof(
    fc.string({ minLength, maxLength: longest }),
    fc.constantFrom(
      'https://shop.example.com/cart?q=1',
      '/cart',
      'Sale',
      'de-CH',
      '.buy',
      'return true;',
      '2026-05-01',
    ),
  );
};

function numbers({ type, minimum = -10, maximum = 1_000 }: Schema): Arbitrary<number> {
  const [min, max] = [Math.max(minimum, -1e6), Math.min(maximum, 1e6)];
  return type === 'integer'
    ? fc.integer({ min, max })
    : fc.integer({ min: Math.ceil(min * SCALE), max: Math.floor(max * SCALE) }).map((n) => n / SCALE);
}

/** Values that are mostly valid for a schema from the reference. */
export class SchemaArbitraries {
  /** @param schemas the schemas to which `$ref` points */
  constructor(private readonly schemas: Readonly<Record<string, Schema>>) {}

  of(schema: Schema, name = '', depth = 0): Arbitrary<unknown> {
    const kind = NAMED_RECORDS[name];
    const own = this.plain(schema, name, depth);
    return kind === undefined || schema.type === 'array'
      ? own
      : fc.oneof({ weight: 4, arbitrary: recordId(kind) }, { weight: 1, arbitrary: own });
  }

  private plain(schema: Schema, name: string, depth: number): Arbitrary<unknown> {
    const resolved = schema.$ref === undefined ? schema : this.schemas[schema.$ref.split('/').at(-1) ?? ''];
    const choices = resolved.oneOf ?? resolved.anyOf;
    if (choices !== undefined) {
      return fc.oneof(...choices.map((choice) => this.of(choice, name, depth + 1)));
    }
    if (resolved.allOf !== undefined) {
      return this.of(resolved.allOf[0], name, depth);
    }
    if (resolved.enum !== undefined) {
      return fc.constantFrom(...resolved.enum);
    }
    return 'const' in resolved ? fc.constant(resolved.const) : this.typed(resolved, name, depth);
  }

  private typed(schema: Schema, name: string, depth: number): Arbitrary<unknown> {
    const types = [schema.type ?? (schema.properties === undefined ? 'string' : 'object')].flat();
    return fc.oneof(...types.map((type) => this.ofType(type, { ...schema, type }, name, depth)));
  }

  private ofType(type: string, schema: Schema, name: string, depth: number): Arbitrary<unknown> {
    switch (type) {
      case 'object':
        return this.objects(schema, depth);
      case 'array':
        return this.lists(schema, name, depth);
      case 'integer':
      case 'number':
        return numbers(schema);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      default:
        return texts(schema);
    }
  }

  private objects({ properties = {}, required = [] }: Schema, depth: number): Arbitrary<unknown> {
    if (depth > MAX_DEPTH) {
      return fc.constant({});
    }
    const entries = Object.entries(properties).map(([key, schema]) => [key, this.of(schema, key, depth + 1)]);
    const arbitraries = Object.fromEntries(entries) as Record<string, Arbitrary<unknown>>;
    return fc.record(arbitraries, { requiredKeys: required.filter((key) => key in properties) });
  }

  private lists({ items, maxItems = MAX_ENTRIES }: Schema, name: string, depth: number): Arbitrary<unknown> {
    const maxLength = Math.min(maxItems, MAX_ENTRIES);
    return items === undefined || depth > MAX_DEPTH
      ? fc.constant([])
      : fc.array(this.of(items, name, depth + 1), { maxLength });
  }
}
