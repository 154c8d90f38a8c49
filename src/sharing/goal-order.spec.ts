import { goalFigures, Sketch } from '../../test/support/figures';
import { type JudgedGoal, orderedGoals, orderedVariations } from './goal-order';
import type { Tone } from './verdict';

const A: Sketch = { name: 'A', rate: 0.075 };

const compared = (name: string, verdict: Sketch['verdict'], difference: number): Sketch => ({
  name,
  rate: 0.075 + difference,
  difference,
  uplift: difference / 0.075,
  verdict,
});

it('orders variations by verdict, then by the difference', () => {
  const goal = goalFigures([
    A,
    compared('Ahead', 'inconclusive', 0.03),
    compared('Lost', 'loser', -0.01),
    compared('Won', 'winner', 0.01),
    compared('Behind', 'inconclusive', -0.02),
    compared('Won more', 'winner', 0.02),
  ]);
  expect(orderedVariations(goal).map(({ name }) => name)).toEqual([
    'Won more',
    'Won',
    'Ahead',
    'Behind',
    'Lost',
  ]);
});

it('shows variations that trip a guardrail last', () => {
  const sketches = [A, compared('Tripped', 'inconclusive', 0.03), compared('Other', 'inconclusive', 0.01)];
  const guardrail = goalFigures(sketches, { role: 'guardrail', tripped: [2] });
  expect(orderedVariations(guardrail).map(({ name }) => name)).toEqual(['Other', 'Tripped']);
});

it('shows the only variation', () => {
  expect(orderedVariations(goalFigures([A])).map(({ name }) => name)).toEqual(['A']);
});

it('orders goals by decision, then by the size of the change, after the primary goal', () => {
  const judged = (name: string, tone: Tone, difference: number): JudgedGoal => ({
    goal: { ...goalFigures([A, compared('B', 'inconclusive', difference)]), name },
    verdict: { tone, label: '', headline: '', details: [], progress: null },
  });
  const goals = [
    judged('Primary', 'waiting', 0.001),
    judged('Open', 'waiting', 0.05),
    judged('Small', 'better', 0.01),
    judged('Worse', 'worse', -0.06),
    judged('Large', 'better', 0.02),
  ];
  expect(orderedGoals(goals).map(({ goal }) => goal.name)).toEqual([
    'Primary',
    'Large',
    'Small',
    'Worse',
    'Open',
  ]);
});
