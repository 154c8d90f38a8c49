import { type JsonSchema, optionalText } from './json-schema';
import { bodyReader, schemaCheck, schemaTest } from './schema-check';

const NAMES = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'list'],
  properties: {
    id: { type: 'integer', 'x-message': 'must be a number of a house' },
    user_name: optionalText(5),
    list: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: { type: 'boolean', title: 'entry' },
    },
    indices: {
      type: ['object', 'null'],
      additionalProperties: { type: 'integer' },
      maxProperties: 2,
      'x-message': 'must be an object of indices',
    },
    deep: { type: ['object', 'null'], 'x-maxDepth': 1 },
    names: { type: 'array', items: { type: 'string' }, minItems: 1 },
    whole: { type: 'integer', minimum: 1 },
    share: { type: ['number', 'null'], minimum: 0, maximum: 100 },
  },
} as const satisfies JsonSchema;

const GOOD = { id: 1, list: [true] };
const check = schemaCheck(NAMES);
const told = (body: unknown): string[] => check(body).map(({ path, message }) => `${path}: ${message}`);

it('reports nothing for valid values, including null for optional ones', () => {
  expect(told(GOOD)).toEqual([]);
  expect(told({ ...GOOD, user_name: null, indices: null })).toEqual([]);
});

it.each<[string, unknown, string]>([
  ['a body that is not an object', [], 'body: The body must be a JSON object.'],
  ['a wrong type', { ...GOOD, list: 5 }, 'list: The list must be a list.'],
  [
    'a text that is too long',
    { ...GOOD, user_name: 'abcdef' },
    'user_name: The user name may not be longer than 5 characters.',
  ],
  [
    'a NUL character',
    { ...GOOD, user_name: '\0' },
    'user_name: The user name may not contain NUL characters.',
  ],
  ['a list of the wrong size', { ...GOOD, list: [] }, 'list: The list must have 1 to 2 entries.'],
  [
    'a list that is too short, without an upper limit',
    { ...GOOD, names: [] },
    'names: The names must have at least 1 entry.',
  ],
  ['an invalid entry of a list', { ...GOOD, list: [true, 1] }, 'list.1: The entry must be true or false.'],
  [
    'a value that is nested too deeply',
    { ...GOOD, deep: { a: { b: {} } } },
    'deep: The deep is nested deeper than 1 levels.',
  ],
  ['a value with its own message', { ...GOOD, id: 'x' }, 'id: The id must be a number of a house.'],
  [
    'an invalid part of a value with its own message',
    { ...GOOD, indices: { a: 1.5 } },
    'indices: The indices must be an object of indices.',
  ],
  [
    'too many parts of a value with its own message',
    { ...GOOD, indices: { a: 1, b: 2, c: 3 } },
    'indices: The indices may have at most 2 entries.',
  ],
  ['a misspelt field', { ...GOOD, lits: 1 }, 'lits: The field lits is unknown. Did you mean list?'],
  [
    'a number that is too small',
    { ...GOOD, whole: 0 },
    'whole: The whole must be a whole number of at least 1.',
  ],
  ['a share outside its limits', { ...GOOD, share: 101 }, 'share: The share must be between 0 and 100.'],
  ['a share in quotes', { ...GOOD, share: '5' }, 'share: The share must be a number between 0 and 100.'],
  ['null in a required field', { ...GOOD, id: null }, 'id: The id field is required.'],
])('reports %s', (_, body, message) => {
  expect(told(body)).toEqual([message]);
});

it('reports each value once, in the order of the body and with missing fields last', () => {
  expect(told({ zzz: 1, user_name: 'abcdef\0', list: [1, 2, 3], indices: 4 })).toEqual([
    'zzz: The field zzz is unknown.',
    'user_name: The user name may not contain NUL characters.',
    'list: The list must have 1 to 2 entries.',
    'indices: The indices must be an object of indices.',
    'id: The id field is required.',
  ]);
});

it('adds the failures of a rule if the enclosing value is valid', () => {
  const ruled = schemaCheck(NAMES, () => [{ path: 'list.0', message: 'Not today.' }]);
  expect(ruled(GOOD)).toEqual([{ path: 'list.0', message: 'Not today.', isMissing: false }]);
  expect(ruled({ ...GOOD, list: 1 }).map(({ path }) => path)).toEqual(['list']);
});

it('returns valid bodies, and throws all failures of invalid ones', () => {
  const read = bodyReader(NAMES);
  expect(read(GOOD)).toBe(GOOD);
  expect(() => read({})).toThrow('The id field is required. (and 1 more error)');
});

it('accepts any value where a referenced schema is `true`', () => {
  const schema = { type: 'array', items: { $ref: '#/components/schemas/Names' } } as unknown as JsonSchema;
  const isNames = schemaTest(schema, { Names: NAMES });
  expect([isNames([GOOD]), isNames([{}]), schemaTest(schema, { Names: true })([{}])]).toEqual([
    true,
    false,
    true,
  ]);
});

it('distinguishes schemas with the same name in different bodies', () => {
  const schema: JsonSchema = { type: 'object', properties: { it: { $ref: '#/components/schemas/It' } } };
  const [isText, isNumber] = [
    schemaTest(schema, { It: { type: 'string' } }),
    schemaTest(schema, { It: { type: 'number' } }),
  ];
  const values = [{ it: 'a' }, { it: 1 }];
  expect([values.map(isText), values.map(isNumber), values.map(isText)]).toEqual([
    [true, false],
    [false, true],
    [true, false],
  ]);
});
