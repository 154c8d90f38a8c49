import type { Failure } from '../../common/errors/api-errors';
import { createPatternCheck } from '../../common/validation/pattern';
import { joinPath } from '../../common/validation/values';
import { checkLeaf, ConditionLeaf, normalizeLeaf } from './condition-leaf';

export type { ConditionLeaf } from './condition-leaf';

export const OPERATORS = ['and', 'or', 'not'] as const;

export type ConditionOperator = (typeof OPERATORS)[number];
export type ConditionGroup = [operator: ConditionOperator, ...operands: ConditionTree[]];
export type ConditionTree = ConditionLeaf | ConditionGroup;

const MAX_LEAVES = 100;
const MAX_LEVELS = 10;

/** Validation errors for an audience's conditions. Null or an empty list matches everyone. */
export function checkConditionTree(value: unknown): Failure[] {
  return isEveryone(value) ? [] : new TreeCheck().check(value);
}

function isEveryone(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

class TreeCheck {
  private readonly failures: Failure[] = [];
  private readonly checkPattern = createPatternCheck();
  private leaves = 0;

  check(root: unknown): Failure[] {
    this.visit('', root, 1);
    if (this.leaves > MAX_LEAVES) {
      this.fail('', `The conditions may have at most ${MAX_LEAVES} leaves.`);
    }
    return this.failures;
  }

  /** Checks a node and its operands. Only nodes without operands count as leaves. */
  private visit(path: string, node: unknown, level: number): void {
    const isGroup = Array.isArray(node) && node.length > 1 && level <= MAX_LEVELS;
    this.leaves += isGroup ? 0 : 1;
    if (this.leaves > MAX_LEAVES) {
      return;
    }
    if (level > MAX_LEVELS) {
      this.fail(path, `The conditions may be at most ${MAX_LEVELS} levels deep.`);
    } else if (Array.isArray(node)) {
      this.visitGroup(path, node as unknown[], level);
    } else {
      this.failures.push(...checkLeaf(path, node, this.checkPattern));
    }
  }

  private visitGroup(path: string, [operator, ...operands]: unknown[], level: number): void {
    if (!OPERATORS.includes(operator as ConditionOperator)) {
      this.fail(joinPath(path, '0'), `The operator must be one of: ${OPERATORS.join(', ')}.`);
    } else if (operator === 'not' && operands.length !== 1) {
      this.fail(path, 'The operator not takes exactly one condition.');
    } else if (operands.length === 0) {
      this.fail(path, `The operator ${operator as ConditionOperator} takes at least one condition.`);
    }
    for (const [index, operand] of operands.entries()) {
      if (this.leaves > MAX_LEAVES) {
        return;
      }
      this.visit(joinPath(path, String(index + 1)), operand, level + 1);
    }
  }

  private fail(path: string, message: string): void {
    this.failures.push({ path, message });
  }
}

/**
 * Valid conditions in the stored form, which is null if everyone matches, and includes the default match in every leaf.
 */
export function normalizeConditionTree(value: unknown): ConditionTree | null {
  return isEveryone(value) ? null : normalizeNode(value as ConditionTree);
}

function normalizeNode(node: ConditionTree): ConditionTree {
  if (!Array.isArray(node)) {
    return normalizeLeaf(node);
  }
  const [operator, ...operands] = node;
  return [operator, ...operands.map((operand) => normalizeNode(operand))];
}
