import { goalFigures, Sketch } from '../../test/support/figures';
import { headlineOf, type JudgedGoal, orderedGoals, orderedVariations } from './headline';
import { verdictText } from './verdict';
import type { Tone } from './verdict-text';

const A: Sketch = { name: 'A', rate: 0.075 };
const B: Sketch = { name: 'B', rate: 0.0805, difference: 0.0055, uplift: 0.0733 };

function judged(verdict: Sketch['verdict'], status: string, name = 'Goal'): JudgedGoal {
  const goal = { ...goalFigures([A, { ...B, verdict }]), name };
  return { goal, verdict: verdictText(goal, { status, isWholeTime: true }) };
}

const decision = (
  goals: readonly JudgedGoal[],
  status: string,
  { isFiltered = false, isDecided = false } = {},
): string | null =>
  headlineOf(goals, { status, isFiltered, isDecided })?.decision?.replace(/[\u2068\u2069]/g, '') ?? null;

const harmsOf = (goals: readonly JudgedGoal[]): string[] | undefined =>
  headlineOf(goals, { status: 'running', isFiltered: false, isDecided: false })?.harms.map((harm) =>
    harm.replace(/[\u2068\u2069]/g, ''),
  );

it.each<[Sketch['verdict'], string, string]>([
  ['winner', 'running', 'End the experiment and roll out B to all visitors.'],
  ['winner', 'archive', 'Roll out B to all visitors.'],
  ['loser', 'running', 'End the experiment and keep A.'],
  ['loser', 'archive', 'Keep A.'],
  ['inconclusive', 'running', 'Nothing to decide yet: keep the experiment running.'],
  ['inconclusive', 'pause', 'Nothing to decide yet: resume the experiment, or end it without a result.'],
  [
    'inconclusive',
    'archive',
    'The experiment ended without a result. Keep the original, or run a clone for longer.',
  ],
  [
    'untrustworthy',
    'running',
    'Do not decide on this result. Fix the cause, then clone the experiment and start the clone.',
  ],
])('for a %s in status %s, the decision is: %s', (verdict, status, expected) => {
  expect(decision([judged(verdict, status)], status)).toBe(expected);
});

it.each([
  ['running', 'End the experiment and keep A: the plan is over without a verdict.'],
  ['archive', 'Keep A: the plan is over without a verdict.'],
])(
  'with a method for a single look, after a plan without a verdict, in status %s, the decision is: %s',
  (status, expected) => {
    const goal = goalFigures([A, { ...B, isOver: true }]);
    const verdict = verdictText(goal, { status, isWholeTime: true });
    expect(verdict.headline).toBe('Not certain after the end of the plan');
    expect(decision([{ goal, verdict }], status)).toBe(expected);
  },
);

it.each([
  [1, 'running', 'End the experiment and keep A: no difference was found.'],
  [1, 'archive', 'Keep A: no difference was found.'],
  [
    0,
    'running',
    'End the experiment and keep A, or run a clone for longer: the plan ended before any look could take place.',
  ],
  [0, 'archive', 'Keep A, or run a clone for longer: the plan ended before any look could take place.'],
])(
  'after a plan with %i looks and no verdict, in status %s, the decision is: %s',
  (looks, status, expected) => {
    const goal = goalFigures([A, { ...B, looks, isOver: true }]);
    expect(decision([{ goal, verdict: verdictText(goal, { status, isWholeTime: true }) }], status)).toBe(
      expected,
    );
  },
);

it('suggests no decision once one is recorded', () => {
  expect(decision([judged('winner', 'archive')], 'archive', { isDecided: true })).toBeNull();
});

it('names the goals on which the winner is worse', () => {
  const losses = ['C', 'D', 'E', 'F'].map((name) => judged('loser', 'running', name));
  const goals = [judged('winner', 'running'), judged('inconclusive', 'running', 'N'), ...losses];
  expect(decision(goals, 'running')).toBe(
    'Decide whether the gain is worth the loss: B is worse on C, D, E and F.',
  );
});

describe('a worse guardrail', () => {
  const guardrail = (verdict: Sketch['verdict'], tripped: number[], name = 'Refunds'): JudgedGoal => {
    const { goal, verdict: words } = judged(verdict, 'running', name);
    return { goal: { ...goal, role: 'guardrail', tripped }, verdict: words };
  };

  it.each([
    ['tripped before its verdict', guardrail('inconclusive', [2])],
    ["worse by the project's method", guardrail('loser', [])],
  ])('is shown with the winner, and the decision is not simply to ship the winner: %s', (_, worse) => {
    const goals = [judged('winner', 'running'), worse];
    expect(decision(goals, 'running')).toBe(
      'Decide whether the gain is worth the loss: B is worse on the guardrail Refunds.',
    );
    expect(harmsOf(goals)).toEqual(['B is worse on the guardrail Refunds.']);
  });

  it.each([
    ['is named', [2], ' C is also better, without a known loss.'],
    ['is not named if it is worse as well', [2, 3], ''],
  ])('does not hide another winner, which %s', (_, tripped, expected) => {
    const C: Sketch = { ...B, name: 'C', uplift: 0.05 };
    const [primary, refunds] = (['winner', 'inconclusive'] as const).map((verdict) =>
      goalFigures([A, { ...B, verdict }, { ...C, verdict }]),
    );
    const worse = { ...refunds, name: 'Refunds', role: 'guardrail' as const, tripped };
    const goals = [primary, worse].map((goal) => ({
      goal,
      verdict: verdictText(goal, { status: 'running', isWholeTime: true }),
    }));
    expect(decision(goals, 'running')).toBe(
      `Decide whether the gain is worth the loss: B is worse on the guardrail Refunds.${expected}`,
    );
  });

  it.each([
    ['running', 'Pause the experiment, or keep it running if you accept this loss.'],
    ['pause', 'End the experiment, or resume it if you accept this loss.'],
    ['archive', 'The experiment ended without a result. Keep the original.'],
  ])('determines the decision while the primary goal is undecided, in status %s: %s', (status, expected) => {
    expect(decision([judged('inconclusive', status), guardrail('inconclusive', [2])], status)).toBe(expected);
  });

  it('is named before other goals', () => {
    const losses = ['C', 'D', 'E', 'F'].map((name) => judged('loser', 'running', name));
    expect(decision([judged('winner', 'running'), ...losses, guardrail('loser', [])], 'running')).toBe(
      'Decide whether the gain is worth the loss: B is worse on the guardrail Refunds, the goal C, the goal D and 2 other goals.',
    );
  });

  it('is not reported as a fact if the figures cannot be trusted', () => {
    expect(harmsOf([judged('untrustworthy', 'running'), guardrail('untrustworthy', [2])])).toEqual([]);
  });

  it('is the only guardrail that affects the decision', () => {
    const goals = [judged('winner', 'running'), guardrail('inconclusive', [])];
    expect(decision(goals, 'running')).toBe('End the experiment and roll out B to all visitors.');
    expect(harmsOf(goals)).toEqual([]);
  });
});

it('defers the decision while only some participants are shown', () => {
  expect(decision([judged('winner', 'running')], 'running', { isFiltered: true })).toMatch(
    /^This covers only some/,
  );
});

it('takes the headline from the primary goal, and has none without a goal', () => {
  const goals = [judged('inconclusive', 'running', 'First'), judged('winner', 'running', 'Second')];
  expect(headlineOf(goals, { status: 'running', isFiltered: false, isDecided: false })?.goal).toBe('First');
  expect(headlineOf([], { status: 'running', isFiltered: false, isDecided: false })).toBeNull();
});

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

it('keeps the order of the variations before the minimum runtime', () => {
  const early = (name: string, difference: number): Sketch => ({
    ...compared(name, 'inconclusive', difference),
    minRuntimeReached: false,
  });
  const goal = goalFigures([A, early('First', 0.01), early('Ahead', 0.02), early('Third', -0.01)]);
  expect(orderedVariations(goal).map(({ name }) => name)).toEqual(['First', 'Ahead', 'Third']);
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
