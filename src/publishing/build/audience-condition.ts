import type { ConditionInterface } from '@growthbook/growthbook';
import type { ConditionLeaf } from '../../resources/audiences/condition-leaf';
import type { ConditionTree } from '../../resources/audiences/condition-tree';
import { escapedPattern } from '../../common/text/strings';
import { normalized, PART_PATTERNS } from '../../resources/pages/page-matching';
import { ATTRIBUTES, attributeKey } from '../attribute-names';
import type { LiveExperiment } from '../definitions';

/**
 * How to convert conditions that only the snippet can evaluate (`javascript`, `cookie`). For the snippet, they become
 * reserved attributes with the index of the code. For servers, they match no visitor (`excluded`). For experiments that
 * the page itself triggers, they match every visitor (`included`), so the page decides.
 */
export type Unknowns = ((code: string) => number) | 'excluded' | 'included';

type Value = string | number | boolean;

/**
 * A condition that is always true and a condition that is always false. `NO_ONE` compares the id, which every visitor
 * has.
 */
export const EVERYONE: ConditionInterface = {};
export const NO_ONE: ConditionInterface = { id: { $in: [] } };

const OPERATORS = new Set(['$or', '$nor', '$and', '$not', '$savedGroup']);

/** Whether the SDK would read the attribute name as an operator, or as a property of `Object.prototype`. */
const isMistaken = (path: string): boolean =>
  OPERATORS.has(path) || path.split('.').some((name) => name in Object.prototype);

/** The SDK condition that eligible visitors meet; undefined if everyone is eligible. */
export function audienceCondition(
  { audiences, audiences_match_type }: Pick<LiveExperiment, 'audiences' | 'audiences_match_type'>,
  unknowns: Unknowns,
): ConditionInterface | undefined {
  const conditions = audiences.map((tree) => (tree === null ? EVERYONE : ofTree(tree, true, unknowns)));
  const limits = conditions.filter((condition) => condition !== EVERYONE);
  if (limits.length === 0 || (audiences_match_type === 'any' && limits.length < conditions.length)) {
    return undefined;
  }
  if (limits.length === 1) {
    return limits[0];
  }
  return audiences_match_type === 'any' ? { $or: limits } : { $and: limits };
}

/** Whether a condition tree contains a matching leaf. */
export function hasLeaf(tree: ConditionTree | null, isLike: (leaf: ConditionLeaf) => boolean): boolean {
  if (!Array.isArray(tree)) {
    return tree !== null && isLike(tree);
  }
  const [, ...operands] = tree;
  return operands.some((operand) => hasLeaf(operand, isLike));
}

/** Whether only the snippet can evaluate this condition. */
export const isUnknownElsewhere = ({ type }: ConditionLeaf): boolean =>
  type === 'javascript' || type === 'cookie';

/** @param isWanted whether the condition must be met; false inside an odd number of `not` operators */
function ofTree(tree: ConditionTree, isWanted: boolean, unknowns: Unknowns): ConditionInterface {
  if (!Array.isArray(tree)) {
    return ofLeaf(tree, isWanted, unknowns);
  }
  const [operator, ...operands] = tree;
  if (operator === 'not') {
    return { $not: ofTree(operands[0], !isWanted, unknowns) };
  }
  const conditions = operands.map((operand) => ofTree(operand, isWanted, unknowns));
  return operator === 'and' ? { $and: conditions } : { $or: conditions };
}

function ofLeaf(leaf: ConditionLeaf, isWanted: boolean, unknowns: Unknowns): ConditionInterface {
  if (typeof unknowns !== 'function' && isUnknownElsewhere(leaf)) {
    return (unknowns === 'included') === isWanted ? EVERYONE : NO_ONE;
  }
  if (leaf.type === 'javascript') {
    const index = typeof unknowns === 'function' ? unknowns(String(leaf.value)) : 0;
    return { [`${ATTRIBUTES.javascript}.${index}`]: true };
  }
  const path = pathOf(leaf);
  return leaf.type === 'attribute' && isMistaken(path) ? NO_ONE : { [path]: comparison(leaf) };
}

/** The path to the attribute. A dot in an attribute's name selects an object property. */
function pathOf({ type, name = '' }: ConditionLeaf): string {
  if (type === 'attribute') {
    return name;
  }
  return type === 'query' || type === 'cookie'
    ? `${ATTRIBUTES[type]}.${attributeKey(name)}`
    : ATTRIBUTES[type];
}

/**
 * The SDK converts a missing attribute to a string or a number before it tests a pattern or compares an order, so these
 * comparisons also require the attribute to exist.
 */
function comparison({ type, match, value }: ConditionLeaf): object {
  if (match === 'exists') {
    return { $exists: true };
  }
  const values = [value ?? ''].flat();
  const [first] = values;
  switch (match) {
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { $exists: true, [`$${match}`]: first };
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return pattern(partPattern(type, match, String(first)));
    case 'regex':
      return pattern(String(first));
    default:
      return equality(type, values);
  }
}

function partPattern(type: ConditionLeaf['type'], match: keyof typeof PART_PATTERNS, part: string): string {
  if (type === 'url' || type === 'referrer') {
    return PART_PATTERNS[match](part);
  }
  const source = type === 'language' && match === 'starts_with' ? inAnyCase(part) : escapedPattern(part);
  return `${match === 'starts_with' ? '^' : ''}${source}${match === 'ends_with' ? '$' : ''}`;
}

/**
 * The SDK caches patterns in an object by their source, so a source that is the name of a property of
 * `Object.prototype` needs a different spelling.
 */
const pattern = (source: string): object => ({
  $exists: true,
  $regex: source in Object.prototype ? `(?:${source})` : source,
});

function equality(type: ConditionLeaf['type'], values: readonly Value[]): object {
  switch (type) {
    case 'language':
      return pattern(`^(?:${values.map((value) => inAnyCase(String(value))).join('|')})$`);
    case 'url':
    case 'referrer':
      return { $in: values.flatMap((value) => [...new Set([value, normalized(String(value))])]) };
    case 'country':
      return { $in: values.flatMap((value) => [value, String(value).toLowerCase()]) };
    default:
      return { $in: values.flatMap(spellings) };
  }
}

/** A pattern that matches a language tag in any case, because language tags are not case-sensitive. */
const inAnyCase = (tag: string): string =>
  escapedPattern(tag).replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);

/**
 * A value as text, and as the number or boolean that the text represents, because a page can set a number where a URL
 * has text.
 */
function spellings(value: Value): Value[] {
  if (typeof value !== 'string') {
    return [value, String(value)];
  }
  if (value === 'true' || value === 'false') {
    return [value, value === 'true'];
  }
  return String(Number(value)) === value && Number.isFinite(Number(value)) ? [value, Number(value)] : [value];
}
