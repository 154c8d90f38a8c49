import { type ConditionInterface, evalCondition } from '@growthbook/growthbook';
import type { ConditionLeaf, ConditionTree } from '../../../resources/audiences/condition-tree';
import { isObject } from '../../../common/validation/values';
import { type Json, NoEquivalent, textIn, textOf } from '../export-values';

/** The conditions of saved groups, by id. */
export type SavedGroups = ReadonlyMap<string, ConditionTree>;

type Scalar = string | number | boolean;
type Operator = (name: string, operand: unknown, groups: SavedGroups) => ConditionTree;

const isScalar = (value: unknown): value is Scalar =>
  ['string', 'number', 'boolean'].includes(typeof value) && value !== '';

const not = (tree: ConditionTree): ConditionTree => ['not', tree];

/** Combines conditions. A single condition is returned unchanged. */
export function combined(operator: 'and' | 'or', trees: readonly ConditionTree[]): ConditionTree {
  const [first] = trees;
  if (first === undefined) {
    throw new NoEquivalent('Its condition contains an empty list.');
  }
  return trees.length === 1 ? first : [operator, ...trees];
}

const comparing =
  (match: NonNullable<ConditionLeaf['match']>): Operator =>
  (name, operand) => {
    if (!isScalar(operand)) {
      throw new NoEquivalent(`Its condition compares ${name} with ${JSON.stringify(operand)}.`);
    }
    return { type: 'attribute', name, match, value: operand };
  };

const among: Operator = (name, operand) => {
  if (!Array.isArray(operand) || operand.length === 0 || !operand.every(isScalar)) {
    throw new NoEquivalent(
      `Its condition compares ${name} with a list that contains values other than strings and numbers.`,
    );
  }
  return { type: 'attribute', name, match: 'in', value: operand };
};

const existing = (name: string): ConditionLeaf => ({ type: 'attribute', name, match: 'exists' });

const exists: Operator = (name, operand) =>
  operand === false || operand === 0 ? not(existing(name)) : existing(name);

const inGroup: Operator = (_name, operand, groups) => groupIn(groups, operand);

const negated =
  (operator: Operator): Operator =>
  (name, operand, groups) =>
    not(operator(name, operand, groups));

const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: comparing('exact'),
  $ne: negated(comparing('exact')),
  $gt: comparing('gt'),
  $gte: comparing('gte'),
  $lt: comparing('lt'),
  $lte: comparing('lte'),
  $regex: comparing('regex'),
  $in: among,
  $nin: negated(among),
  $exists: exists,
  $not: negated((name, operand, groups) => attribute(name, operand, groups)),
  $inGroup: inGroup,
  $notInGroup: negated(inGroup),
};

/** The conditions of a saved group. @throws NoEquivalent if the group is unknown */
export function groupIn(groups: SavedGroups, id: unknown): ConditionTree {
  const name = textOf(id);
  const group = groups.get(name);
  if (group === undefined) {
    throw new NoEquivalent(`The files contain no usable saved group ${name || 'without an id'}.`);
  }
  return group;
}

/**
 * Converts a targeting condition to audience conditions; null for an empty condition.
 * @throws NoEquivalent for operators that audience conditions do not have
 */
export function conditionOf(condition: unknown, groups: SavedGroups): ConditionTree | null {
  if (!isObject(condition)) {
    throw new NoEquivalent('Its condition is not an object.');
  }
  const parts = Object.entries(condition).map(([key, operand]) => partOf(key, operand, groups));
  return parts.length === 0 ? null : combined('and', parts);
}

function partOf(key: string, operand: unknown, groups: SavedGroups): ConditionTree {
  switch (key) {
    case '$and':
      return combined('and', nested(operand, groups));
    case '$or':
      return combined('or', nested(operand, groups));
    case '$nor':
      return not(combined('or', nested(operand, groups)));
    case '$not':
      return not(combined('and', nested([operand], groups)));
    default:
      if (key.startsWith('$')) {
        throw new NoEquivalent(`Its condition uses the operator ${key}.`);
      }
      return attribute(key, operand, groups);
  }
}

function nested(list: unknown, groups: SavedGroups): ConditionTree[] {
  const trees = (Array.isArray(list) ? list : []).map((each) => conditionOf(each, groups));
  if (trees.includes(null)) {
    throw new NoEquivalent('Its condition contains an empty part.');
  }
  return trees as ConditionTree[];
}

function attribute(name: string, operand: unknown, groups: SavedGroups): ConditionTree {
  if (!isObject(operand)) {
    return orMissing(name, operand, comparing('exact')(name, operand, groups));
  }
  const parts = Object.entries(operand).map(([key, value]) => {
    if (!Object.hasOwn(OPERATORS, key)) {
      throw new NoEquivalent(`Its condition on ${name} uses the operator ${key}.`);
    }
    const tree = OPERATORS[key]?.(name, value, groups);
    return tree && orMissing(name, { [key]: value }, tree);
  });
  return combined(
    'and',
    parts.filter((part) => part !== undefined),
  );
}

/**
 * Adds visitors without the attribute if the SDK includes them: it compares a missing attribute as 0, and matches
 * patterns with the text "null". In audiences, no comparison is true for a missing attribute.
 */
function orMissing(name: string, condition: unknown, tree: ConditionTree): ConditionTree {
  const compares = !Array.isArray(tree);
  const includesMissing = compares && evalCondition({}, { attribute: condition } as ConditionInterface);
  return includesMissing ? ['or', not(existing(name)), tree] : tree;
}

/**
 * The conditions of a saved group in the REST API, which has either a condition or attribute values. @throws
 * NoEquivalent
 */
export function savedGroupOf(group: Json, condition: unknown): ConditionTree | null {
  if (group.type !== 'list') {
    return conditionOf(condition, new Map());
  }
  const attributeKey = textIn(group, 'attributeKey');
  if (attributeKey === '') {
    throw new NoEquivalent('It has no attribute.');
  }
  return among(attributeKey, group.values, new Map());
}
