import { CONDITION_MATCHES, CONDITION_TYPES } from './condition-leaf';
import { OPERATORS } from './condition-tree';

/*
 * Reference of audience conditions. Lists may contain lists, ten levels deep. The schemas name two levels instead of
 * referring to themselves, because generators of clients and collections stop at schemas in circles.
 */

const leaf = { $ref: '#/components/schemas/ConditionLeaf' };

/** A list that begins with an operator; what else may be in it. */
const listOf = (...operands: object[]) => ({
  type: 'array',
  items: { anyOf: [{ type: 'string', enum: [...OPERATORS] }, leaf, ...operands] },
});

const SCALAR = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

const LEAF = {
  type: 'object',
  description: 'One condition on a visitor.',
  required: ['type'],
  properties: {
    type: {
      type: 'string',
      enum: CONDITION_TYPES,
      description:
        'The value to compare: `device` (desktop, mobile, tablet), `browser`, `os`, `language` (a BCP 47 tag), `visitor` (new, returning), `url`, `referrer`, a `query` parameter, a `cookie`, an `attribute` set by the page or the caller, or the return value of `javascript` code.',
    },
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Name of the query parameter, cookie or attribute. Other types have no name.',
    },
    match: {
      type: 'string',
      enum: CONDITION_MATCHES,
      default: 'exact',
      description:
        'How to compare. url, referrer, query, cookie and attribute: as text. language: `exact`, `starts_with` and `in`. device, browser and os: `exact` and `in`. query, cookie and attribute: also `exists`, without a value. attribute: also `gt`, `gte`, `lt` and `lte`. javascript: no match.',
    },
    value: {
      anyOf: [...SCALAR, { type: 'array', minItems: 1, maxItems: 1_000, items: { anyOf: SCALAR } }],
      description:
        'The expected value: text of up to 2,048 characters, a number or a boolean, or for `in` a list of 1 to 1,000 values.',
    },
  },
};

/** Schemas of conditions, by name. */
export const conditionSchemas = {
  ConditionLeaf: LEAF,
  ConditionTree: {
    description:
      'A condition, or a list that begins with `and`, `or` or `not`, followed by conditions or lists (`not` takes exactly one). An empty list matches everybody. At most 100 conditions, 10 levels deep.',
    anyOf: [leaf, listOf({ $ref: '#/components/schemas/ConditionList' })],
  },
  ConditionList: {
    description: 'A list in a list of conditions. It may contain further lists of the same form.',
    ...listOf({ type: 'array', items: {} }),
  },
};

/** Schema of fields with a condition tree. */
export const CONDITIONS = {
  allOf: [{ $ref: '#/components/schemas/ConditionTree' }],
  nullable: true,
  description:
    'Conditions on visitors, such as `["and", {"type": "device", "match": "in", "value": ["mobile", "tablet"]}]`. Null matches everybody.',
};
