import { evalCondition } from '@growthbook/growthbook';
import * as fc from 'fast-check';
import type { ConditionTree } from '../../../resources/audiences/condition-tree';
import { audienceCondition } from '../../../publishing/build/audience-condition';
import { attributeOf, treeOf, withoutUnknown } from './conditions';

interface Leaf {
  type: 'custom_attribute';
  name: string;
  match: 'exact' | 'exists';
  value?: string;
}
type Node = Leaf | ['and' | 'or' | 'not', ...Node[]];
type Visitor = Record<string, string>;

const leaf = (name: string): Leaf => ({ type: 'custom_attribute', name, match: 'exact', value: 'x' });
const isKnown = (name: string): Leaf => ({ type: 'custom_attribute', name, match: 'exists' });

const imported = (node: Node): ConditionTree => withoutUnknown(treeOf(node, attributeOf));

const isImported = (node: Node, visitor: Visitor): boolean =>
  evalCondition(
    { id: 'visitor', ...visitor },
    audienceCondition({ audiences: [imported(node)], audiences_match_type: 'any' }, 'excluded') ?? {},
  );

/**
 * The truth value of conditions in Kleene logic: 1, 0, or 0.5 for unknown. The minimum is `and`, the maximum is `or`.
 * @see https://en.wikipedia.org/wiki/Three-valued_logic
 */
function truth(node: Node, visitor: Visitor): number {
  if (!Array.isArray(node)) {
    const value = visitor[node.name];
    const isExists = node.match === 'exists';
    return value === undefined ? (isExists ? 0 : 0.5) : Number(isExists || value === node.value);
  }
  const [operator, ...operands] = node;
  const values = operands.map((operand) => truth(operand, visitor));
  switch (operator) {
    case 'and':
      return Math.min(...values);
    case 'or':
      return Math.max(...values);
    default:
      return 1 - values[0];
  }
}

const nodes = fc.letrec<{ node: Node; leaf: Leaf; list: Node; not: Node }>((tie) => ({
  leaf: fc.constantFrom(leaf('a'), leaf('b'), isKnown('a')),
  list: fc
    .tuple(
      fc.constantFrom('and' as const, 'or' as const),
      fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
    )
    .map(([operator, operands]): Node => [operator, ...operands]),
  not: tie('node').map((node): Node => ['not', node]),
  node: fc.oneof({ maxDepth: 5 }, tie('leaf'), tie('list'), tie('not')),
})).node;

const value = fc.constantFrom('x', 'y', undefined);
const visitors = fc
  .record({ a: value, b: value })
  .map((visitor) => JSON.parse(JSON.stringify(visitor)) as Visitor);

describe('imported conditions', () => {
  it('include a visitor only if they are true in Kleene logic', () => {
    fc.assert(
      fc.property(nodes, visitors, (node, visitor) => {
        expect(isImported(node, visitor)).toBe(truth(node, visitor) === 1);
      }),
    );
  });

  it.each<[Node, Visitor, boolean]>([
    [['not', leaf('a')], {}, false],
    [['not', leaf('a')], { a: 'y' }, true],
    [['not', ['not', leaf('a')]], {}, false],
    [['not', isKnown('a')], {}, true],
    [['not', ['and', leaf('a'), leaf('b')]], { b: 'y' }, true],
    [['not', ['and', leaf('a'), leaf('b')]], { b: 'x' }, false],
    [['not', ['or', leaf('a'), leaf('b')]], { b: 'y' }, false],
  ])('evaluate %j for %j to %j', (node, visitor, expected) => {
    expect(isImported(node, visitor)).toBe(expected);
  });
});
