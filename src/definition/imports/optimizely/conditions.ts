import type { ConditionLeaf, ConditionTree } from '../../../resources/audiences/condition-tree';
import { isObject } from '../../../common/validation/values';
import { type Json, NoEquivalent, textIn } from '../export-values';

const MATCHES: Readonly<Record<string, ConditionLeaf['match']>> = {
  exact: 'exact',
  exists: 'exists',
  substring: 'contains',
  gt: 'gt',
  ge: 'gte',
  lt: 'lt',
  le: 'lte',
};

/**
 * Converts conditions of a datafile: lists that can begin with an operator, `or` by default. Negations are kept, see
 * `withoutUnknown`.
 * @param leafOf converts the leaves: conditions on attributes, or ids of audiences
 * @throws NoEquivalent for conditions that audiences cannot have
 */
export function treeOf(node: unknown, leafOf: (leaf: unknown) => ConditionTree): ConditionTree {
  if (!Array.isArray(node)) {
    return leafOf(node);
  }
  const [first, ...rest] = node as unknown[];
  const hasOperator = first === 'and' || first === 'or' || first === 'not';
  const operator = hasOperator ? first : 'or';
  const trees = (hasOperator ? rest : (node as unknown[])).map((each) => treeOf(each, leafOf));
  const [only] = trees;
  if (only === undefined || (operator === 'not' && trees.length > 1)) {
    throw new NoEquivalent(`Its conditions contain a list of ${trees.length} entries for ${operator}.`);
  }
  return trees.length === 1 && operator !== 'not' ? only : [operator, ...trees];
}

/** A condition on an attribute. @throws NoEquivalent */
export function attributeOf(leaf: unknown): ConditionTree {
  const condition: Json = isObject(leaf) ? leaf : {};
  const { value } = condition;
  const [name, type, match] = [
    textIn(condition, 'name'),
    textIn(condition, 'type'),
    textIn(condition, 'match'),
  ];
  if (!['custom_attribute', 'custom_dimension'].includes(type) || name === '') {
    throw new NoEquivalent(`One of its conditions has the type ${type || 'none'}.`);
  }
  const known = MATCHES[match || 'exact'];
  if (known === undefined) {
    throw new NoEquivalent(`Its condition on ${name} uses the match ${match}.`);
  }
  if (known === 'exists') {
    return { type: 'attribute', name, match: known };
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new NoEquivalent(`Its condition on ${name} compares with ${JSON.stringify(value)}.`);
  }
  return { type: 'attribute', name, match: known, value };
}

/**
 * Conditions that match the same visitors as in Optimizely, where a condition on a missing attribute is neither true nor
 * false (Kleene logic), so negating it does not make it true. In audiences, negations are therefore moved to the
 * attributes, which they require to exist.
 * @param isWanted whether the conditions must be true, or false
 */
export function withoutUnknown(tree: ConditionTree, isWanted = true): ConditionTree {
  if (!Array.isArray(tree)) {
    return isWanted ? tree : negated(tree);
  }
  const [operator, ...operands] = tree;
  if (operator === 'not') {
    return withoutUnknown(operands[0], !isWanted);
  }
  const opposite = operator === 'and' ? 'or' : 'and';
  return [isWanted ? operator : opposite, ...operands.map((operand) => withoutUnknown(operand, isWanted))];
}

/** The negation of a condition on an attribute, which must exist. */
function negated(leaf: ConditionLeaf): ConditionTree {
  const negation: ConditionTree = ['not', leaf];
  const exists: ConditionLeaf = { type: 'attribute', name: leaf.name, match: 'exists' };
  return leaf.match === 'exists' ? negation : ['and', exists, negation];
}
