import { CONDITION_MATCHES, CONDITION_TYPES } from './condition-leaf';
import { OPERATORS } from './condition-tree';

/*
 * Reference for audience conditions. Lists can contain lists, ten levels deep. The schemas describe two levels instead
 * of referring to themselves, because the generators for clients and for collections do not support recursive schemas.
 */

const leaf = { $ref: '#/components/schemas/ConditionLeaf' };

/** A list that begins with an operator, followed by these operands. */
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
        '`device` is desktop, mobile or tablet, `language` a BCP 47 tag, `visitor` new or returning, `country` ISO 3166-1 alpha-2 in upper case. An `attribute` is set by the page or the caller. `javascript` is an expression, function body or function; the condition matches if it returns true.',
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
        'device, browser, os, country: exact, in; language: also starts_with; visitor: exact; url, referrer: exact to regex; query, cookie: also exists (no value); attribute: all; javascript: none.',
    },
    value: {
      anyOf: [...SCALAR, { type: 'array', minItems: 1, maxItems: 1_000, items: { anyOf: SCALAR } }],
      description:
        'A string, a number or a boolean; for `in`, a list of 1 to 1,000 values. Strings have up to 2,048 characters.',
    },
  },
};

/** Schemas of conditions, by name. */
export const conditionSchemas = {
  ConditionLeaf: LEAF,
  ConditionTree: {
    description:
      'A condition, or a list that begins with `and`, `or` or `not`, followed by conditions or lists (`not` takes exactly one). An empty list matches every visitor. At most 100 conditions, 10 levels deep.',
    anyOf: [leaf, listOf({ $ref: '#/components/schemas/ConditionList' })],
  },
  ConditionList: {
    description: 'A nested list of conditions, which may contain further lists.',
    ...listOf({ type: 'array', items: {} }),
  },
};

/** Schema of fields with a condition tree. */
export const CONDITIONS = {
  allOf: [{ $ref: '#/components/schemas/ConditionTree' }],
  nullable: true,
  description:
    'Conditions on visitors, such as `["and", {"type": "device", "match": "in", "value": ["mobile", "tablet"]}]`. Null matches every visitor. In a condition, null is the same as an absent field.',
};
