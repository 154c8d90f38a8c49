import type { ConditionLeaf, ConditionMatch, ConditionType } from '../../resources/audiences/condition-leaf';
import type { ConditionOperator, ConditionTree } from '../../resources/audiences/condition-tree';
import type { PageCondition } from '../../resources/pages/page-conditions';
import { nameInSentence } from '../../presentation/text/words';

/** A human-readable condition, with the values that it compares against. */
export interface ConditionSentence {
  /** `Browser is one of` */
  words: string;
  /** Empty if the condition has no such values. */
  values: string[];
}

/** Several conditions, of which one or all must apply. */
export interface ConditionSet {
  /** `All of these:` */
  words: string;
  parts: ConditionNode[];
}

export type ConditionNode = ConditionSentence | ConditionSet;

const PAGE_WORDS: Record<PageCondition['match'], string> = {
  simple: 'The URL, ignoring query and fragment, is',
  exact: 'The URL is exactly',
  contains: 'The URL contains',
  starts_with: 'The URL starts with',
  ends_with: 'The URL ends with',
  regex: 'The URL matches the regular expression',
};

/** The conditions of a page; empty if it matches every URL. */
export function pageWords(conditions: readonly PageCondition[]): ConditionSet[] {
  const sentences = (isNegated: boolean): ConditionSentence[] =>
    conditions
      .filter(({ negate }) => negate === isNegated)
      .map(({ match, value }) => ({ words: PAGE_WORDS[match], values: [value] }));
  return [
    { words: 'At least one of these:', parts: sentences(false) },
    { words: 'None of these:', parts: sentences(true) },
  ].filter(({ parts }) => parts.length > 0);
}

/** The subjects of conditions. */
export const SUBJECTS: Record<ConditionType, string> = {
  device: 'Device',
  browser: 'Browser',
  os: 'Operating system',
  language: 'Language',
  visitor: 'Visitor',
  url: 'URL',
  referrer: 'Referrer',
  country: 'Country',
  query: 'Query parameter',
  cookie: 'Cookie',
  attribute: 'Attribute',
  javascript: 'JavaScript that returns true:',
};

/** The comparisons of conditions. */
export const MATCHES: Record<ConditionMatch, string> = {
  exact: 'is',
  contains: 'contains',
  starts_with: 'starts with',
  ends_with: 'ends with',
  regex: 'matches the regular expression',
  in: 'is one of',
  exists: 'exists',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
};

const OPERATORS: Record<ConditionOperator, string> = {
  and: 'All of these:',
  or: 'At least one of these:',
  not: 'Not:',
};

/** The conditions of an audience; null if it includes everyone. */
export function audienceWords(tree: ConditionTree | null): ConditionNode | null {
  return tree === null || (Array.isArray(tree) && tree.length === 0) ? null : nodeWords(tree);
}

function nodeWords(tree: ConditionTree): ConditionNode {
  if (!Array.isArray(tree)) {
    return leafWords(tree);
  }
  const [operator, ...operands] = tree;
  return { words: OPERATORS[operator], parts: operands.map(nodeWords) };
}

function leafWords({ type, name, match = 'exact', value }: ConditionLeaf): ConditionSentence {
  const subject = name === undefined ? SUBJECTS[type] : `${SUBJECTS[type]} “${nameInSentence(name)}”`;
  const words = type === 'javascript' ? subject : `${subject} ${MATCHES[match]}`;
  const values = value === undefined ? [] : [value].flat();
  return { words, values: values.map(String) };
}
