import type { JsonSchema } from '../common/validation/json-schema';
import { checked, inlined, inlinedOnce, picked, projected, shown, shownAgain } from './schemas';

/* Tests the conversion of reference schemas to tool schemas. */

const schemas: Record<string, JsonSchema> = {
  Leaf: { type: 'object', properties: { description: { type: 'string', description: 'A field.' } } },
  Tree: {
    anyOf: [
      { $ref: '#/components/schemas/Leaf' },
      { type: 'array', items: { $ref: '#/components/schemas/Leaf' } },
    ],
  },
};

it('references in a schema are inlined, everywhere or only once', () => {
  const field = { allOf: [{ $ref: '#/components/schemas/Tree' }], description: 'Who?' };
  expect(inlined(field, schemas)).toEqual({
    anyOf: [schemas.Leaf, { type: 'array', items: schemas.Leaf }],
    description: 'Who?',
  });
  expect(inlinedOnce(field, schemas)).toEqual({
    anyOf: [schemas.Leaf, { type: 'array', items: {} }],
    description: 'Who?',
  });
});

it('assistants see only first sentences and no size limits, and fields are not mistaken for keywords', () => {
  const schema = {
    type: 'object',
    properties: {
      description: { type: ['string', 'null'], maxLength: 9, description: 'One: 1.5, `a`. `b` too.' },
      value: { anyOf: [{ type: 'string' }, { type: 'number', minimum: 1 }, { type: 'null' }] },
      list: { type: 'array', items: { anyOf: [{ type: 'string' }, {}] } },
    },
  };
  expect(shown(schema)).toEqual({
    type: 'object',
    properties: {
      description: { type: 'string', description: 'One: 1.5, `a`.' },
      value: { type: ['string', 'number'] },
      list: { type: 'array', items: {} },
    },
  });
});

it('sizes and types are validated; alternatives, formats and patterns without a description are left to the API', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 9, pattern: '^a', format: 'uri', description: 'A name.' },
      tag: { type: 'string', pattern: '^a', 'x-message': 'must begin with a' },
      id: { anyOf: [{ type: 'string' }] },
    },
  };
  expect(checked(schema).properties).toEqual({
    name: { type: 'string', maxLength: 9 },
    tag: { type: 'string', pattern: '^a', 'x-message': 'must begin with a' },
    id: {},
  });
});

describe('projection of a record', () => {
  const entry = {
    type: 'object',
    properties: { id: { type: 'integer' }, secret: { type: 'string' } },
    required: ['id', 'secret'],
  };
  const record = {
    type: 'object',
    properties: {
      list: { type: 'array', items: entry },
      map: { type: 'object', additionalProperties: entry },
      maybe: { oneOf: [entry, { type: 'null' }] },
      other: { type: 'string' },
    },
  };
  const inside = { id: true } as const;
  const schema = picked(record, { list: inside, map: inside, maybe: inside });

  it('keeps only named fields, at every level', () => {
    const one = { id: 1, secret: 'x' };
    const value = { list: [one], map: { a: one }, maybe: one, other: 'y' };
    expect(projected(schema, value)).toEqual({ list: [inside1], map: { a: inside1 }, maybe: inside1 });
    expect(projected(schema, { ...value, maybe: null })).toMatchObject({ maybe: null });
  });

  it('throws for a field that the reference does not have', () => {
    expect(() => picked(record, { lists: true })).toThrow('The reference has no field lists.');
    expect(() => picked(record, { list: { name: true } })).toThrow('The reference has no field name.');
  });

  const inside1 = { id: 1 };
});

it('assistants do not see a default that is the first enum value, or a described choice between one value and several', () => {
  const types = ['string', 'number'].map((type) => ({ type }));
  const schema = {
    type: 'object',
    properties: {
      first: { type: 'string', enum: ['a', 'b'], default: 'a' },
      second: { type: 'string', enum: ['a', 'b'], default: 'b' },
      value: {
        anyOf: [...types, { type: 'array', items: { anyOf: types } }],
        description: 'One or several.',
      },
      list: { type: 'array', items: { type: 'object', properties: {} }, description: 'Up to 100.' },
    },
  };
  expect(shown(schema).properties).toEqual({
    first: { type: 'string', enum: ['a', 'b'] },
    second: schema.properties.second,
    value: { description: 'One or several.' },
    list: { type: 'array', items: { type: 'object', properties: {} } },
  });
});

it('lists that another tool describes have items and do not allow null', () => {
  expect(shownAgain({ type: ['array', 'null'], items: { type: 'integer' } })).toEqual({
    type: 'array',
    items: {},
  });
  expect(shownAgain({ type: ['string', 'null'], enum: ['a'] })).toEqual({ type: ['string', 'null'] });
});
