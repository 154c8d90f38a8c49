import { CONDITION_MATCHES, CONDITION_TYPES } from './condition-leaf';
import { OPERATORS } from './condition-tree';

/* What the reference says of the conditions of an audience. A tree holds trees, which no class can describe. */

const TREE = { $ref: '#/components/schemas/ConditionTree' };

const SCALAR = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

const LEAF = {
  type: 'object',
  description: 'One question about a visitor.',
  required: ['type'],
  properties: {
    type: {
      type: 'string',
      enum: CONDITION_TYPES,
      description:
        'What is looked at: `device` (desktop, mobile, tablet), `browser`, `os`, `language` (a BCP 47 tag), `visitor` (new, returning), `url`, `referrer`, a `query` parameter, a `cookie`, an `attribute` that the page or the caller has set, or what a piece of `javascript` returns.',
    },
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Which query parameter, cookie or attribute; other types have none.',
    },
    match: {
      type: 'string',
      enum: CONDITION_MATCHES,
      default: 'exact',
      description:
        'How it is compared: url, referrer, query, cookie and attribute as text; language by `exact`, `starts_with` and `in`; device, browser and os by `exact` and `in`; `exists` (no value) of query, cookie and attribute; `gt` to `lte` of attributes. Code takes none.',
    },
    value: {
      anyOf: [...SCALAR, { type: 'array', minItems: 1, maxItems: 1_000, items: { anyOf: SCALAR } }],
      description:
        'What it is compared with: text of up to 2,048 characters, a number, or for `in` a list of 1 to 1,000.',
    },
  },
};

/** Schemas of conditions, by name. */
export const conditionSchemas = {
  ConditionLeaf: LEAF,
  ConditionTree: {
    description:
      'A condition, or a list: `and`, `or` or `not` followed by what it is about (`not` takes exactly one). An empty list is everyone. At most 100 conditions, 10 levels deep.',
    anyOf: [
      { $ref: '#/components/schemas/ConditionLeaf' },
      { type: 'array', items: { anyOf: [{ type: 'string', enum: [...OPERATORS] }, TREE] } },
    ],
  },
};

/** Of fields that hold a tree. */
export const CONDITIONS = {
  allOf: [TREE],
  nullable: true,
  description:
    'Who takes part, such as `["and", {"type": "device", "match": "in", "value": ["mobile", "tablet"]}]`. Null = everyone.',
};
