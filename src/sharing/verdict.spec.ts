import { goalFigures, Sketch } from '../../test/support/figures';
import { verdictText } from './verdict';
import type { VerdictContext, VerdictText } from './verdict-text';

const RUNNING: VerdictContext = { status: 'running', isWholeTime: true };
const A: Sketch = { name: 'A', rate: 0.075 };
const AHEAD: Sketch = { name: 'B', rate: 0.0805, difference: 0.0055, uplift: 0.0733 };
const BEHIND: Sketch = { name: 'B', rate: 0.07, difference: -0.005, uplift: -0.0667 };

/** A verdict without the Unicode isolates around names. */
function say(
  sketches: readonly Sketch[],
  context: Partial<VerdictContext> = {},
  fields: Parameters<typeof goalFigures>[1] = {},
): VerdictText {
  const found = verdictText(goalFigures(sketches, fields), { ...RUNNING, ...context });
  return JSON.parse(JSON.stringify(found).replace(/[\u2068\u2069]/g, '')) as VerdictText;
}

const headline = (...parameters: Parameters<typeof say>): string => say(...parameters).headline;

describe('a decided goal', () => {
  it('says that the winner is better', () => {
    expect(say([A, { ...AHEAD, verdict: 'winner' }])).toEqual({
      tone: 'better',
      label: 'Better',
      headline: 'B is better',
      details: ['The conversion rate of B is 8.05\u202f%, 7.3\u202f% higher than A (7.50\u202f%).'],
      progress: null,
    });
  });

  it('keeps the original if the only other variation loses', () => {
    expect(say([A, { ...BEHIND, verdict: 'loser' }])).toMatchObject({
      tone: 'worse',
      label: 'Keep the original',
      headline: 'A stays: B is worse',
    });
  });

  it('keeps the original if all other variations lose', () => {
    const loser: Sketch = { ...BEHIND, verdict: 'loser' };
    const losers = [A, loser, { ...loser, name: 'C' }];
    expect(headline(losers)).toBe('A stays: both other variations are worse');
    expect(headline([...losers, { ...loser, name: 'D' }])).toBe('A stays: all 3 other variations are worse');
  });

  it('names the best of several winners, and other decided variations', () => {
    const winner: Sketch = { ...AHEAD, verdict: 'winner' };
    const { headline: text, details } = say([
      A,
      winner,
      { ...winner, name: 'C', difference: 0.01 },
      { ...BEHIND, name: 'D', verdict: 'loser' },
    ]);
    expect(text).toBe('C is better');
    expect(details.slice(1)).toEqual([
      'B is also better than the original. It is not yet clear which of them is best.',
      'D is worse than the original.',
    ]);
  });

  it('names only some of many variations', () => {
    const winners = ['B', 'C', 'D', 'E', 'F', 'G'].map((name, index): Sketch => ({
      ...AHEAD,
      name,
      difference: 0.01 - index / 1000,
      verdict: 'winner',
    }));
    expect(say([A, ...winners]).details[1]).toMatch(/^C, D, E and 2 others are also better/);
  });
});

describe('a tripped guardrail', () => {
  const early: Partial<Sketch> = { minRuntimeReached: false, daysRunning: 1 };
  const tripped: Sketch = { ...BEHIND, ...early };

  it('reports the worse variation even before the minimum runtime is reached', () => {
    expect(say([A, tripped], {}, { role: 'guardrail', tripped: [2] })).toEqual({
      tone: 'worse',
      label: 'Keep the original',
      headline: 'A stays: B is worse',
      details: ['The conversion rate of B is 7.00\u202f%, 6.7\u202f% lower than A (7.50\u202f%).'],
      progress: null,
    });
  });

  it('names the worse variation even if it is too early for the others', () => {
    const { headline: text, details } = say(
      [A, tripped, { ...AHEAD, ...early, name: 'C' }],
      {},
      { role: 'guardrail', tripped: [2] },
    );
    expect(text).toBe('Too early to say: day 1 of 7');
    expect(details).toEqual(['B is worse than the original.']);
  });

  it('does not change the verdict on figures that cannot be trusted', () => {
    const doubtful: Sketch = { ...tripped, verdict: 'untrustworthy' };
    expect(say([A, doubtful], {}, { role: 'guardrail', tripped: [2] }).tone).toBe('doubt');
  });
});

describe('an undecided goal', () => {
  it.each([
    [12.2, 'about 12 days to go'],
    [1.2, 'about 1 day to go'],
    [0.4, 'less than a day to go'],
    [0, 'less than a day to go'],
    [33, 'about 5 weeks to go'],
    [120, 'about 4 months to go'],
    [4000, 'more than a year to go'],
    [null, 'no forecast yet'],
  ])('with %p days left says: %s', (daysLeft, words) => {
    const { headline: text, progress } = say([A, { ...AHEAD, daysLeft }]);
    expect(text).toBe(`B is ahead, but this is not yet certain: ${words}`);
    expect(progress).toEqual(daysLeft === null ? null : { daysRunning: 10, daysLeft });
  });

  it('names the variation that is behind', () => {
    expect(headline([A, { ...BEHIND, daysLeft: 3 }])).toBe(
      'B is behind, but this is not yet certain: about 3 days to go',
    );
  });

  it('is too early to call before the minimums are reached, and lists the missing ones', () => {
    const below = (fields: Sketch, context: Partial<VerdictContext> = {}) =>
      headline([A, { ...AHEAD, conversions: 3, daysRunning: 0.2, ...fields }], context);
    const time = { minRuntimeReached: false };
    const conversions = { minConversionsReached: false };
    const both = { ...time, ...conversions };
    expect(below(both)).toBe('Too early to say: 3 of 50 conversions, day 1 of 7');
    expect(below({ ...both, conversions: 0, daysRunning: 0 })).toBe(
      'Too early to say: 0 of 50 conversions, day 1 of 7',
    );
    expect(below({ ...time, daysRunning: 6.5 })).toBe('Too early to say: day 7 of 7');
    expect(below({ ...conversions, conversions: 49 })).toBe('Too early to say: 49 of 50 conversions');
    expect(below(both, { isWholeTime: false })).toBe(
      'Too early to say: 3 of 50 conversions, day 1 of 7 in the selected period',
    );
    expect(below(both, { status: 'pause' })).toBe('Too early to say: 3 of 50 conversions, day 1 of 7');
    expect(below(both, { status: 'archive' })).toBe('Ended too early: 3 of 50 conversions, day 1 of 7');
  });

  it('does not name the leading variation before the minimums are reached', () => {
    const early: Partial<Sketch> = { daysRunning: 0.2, minRuntimeReached: false };
    const sketches = [
      A,
      { ...AHEAD, ...early },
      { ...AHEAD, ...early, name: 'C', rate: 0.095, difference: 0.02 },
    ];
    for (const context of [{}, { isWholeTime: false }, { status: 'pause' }, { status: 'archive' }]) {
      expect(say(sketches, context).details).toEqual([]);
    }
  });

  it('lists the missing requirements if the interval excludes zero', () => {
    const details = (fields: Sketch) =>
      say([A, { ...AHEAD, interval: [0.001, 0.01], ...fields }]).details.filter((detail) =>
        detail.startsWith('The range of the difference'),
      );
    const said = 'The range of the difference excludes zero, but a verdict';
    expect(details({ minRuntimeReached: false })).toEqual([`${said} also requires the minimum runtime.`]);
    expect(details({ minRuntimeReached: false, minConversionsReached: false })).toEqual([
      `${said} also requires the minimum conversions and the minimum runtime.`,
    ]);
    expect(details({})).toEqual([`${said} accounts for all comparisons and requires more.`]);
    expect(details({ interval: [-0.001, 0.01] })).toEqual([]);
    expect(details({ looks: 1 })).toEqual([`${said} accounts for all comparisons and requires more.`]);
    expect(details({ looks: 0 })).toEqual([
      'The range of the difference excludes zero, but the first look has not taken place yet.',
    ]);
    const endedEarly = { looks: 0, isOver: true };
    const ended =
      'The range of the difference excludes zero, but the plan ended before any look could take place.';
    expect(details(endedEarly)).toEqual([ended]);
    expect(details({ ...endedEarly, minConversionsReached: false })).toEqual([ended]);
  });

  it('says so if there is no difference', () => {
    const { headline: text, details } = say([A, { ...A, name: 'B', difference: 0, uplift: 0 }]);
    expect(text).toBe('No difference so far between B and A: no forecast yet');
    expect(details[0]).toBe('The conversion rate of B is 7.50\u202f%, the same as A.');
  });

  it('names the best of several variations', () => {
    const third = { ...AHEAD, name: 'C', difference: 0.02, daysLeft: 4 };
    expect(headline([A, AHEAD, third, { name: 'D' }])).toBe(
      'C is ahead, but this is not yet certain: about 4 days to go',
    );
    expect(headline([A, BEHIND, { ...BEHIND, name: 'C' }])).toBe(
      'No variation is ahead of A, but this is not yet certain: no forecast yet',
    );
    expect(headline([A, { ...A, name: 'B', difference: 0 }, { ...BEHIND, name: 'C' }])).toMatch(
      /^No variation is ahead of A: /,
    );
  });

  it('ignores losers', () => {
    const { headline: text, details } = say([A, { ...BEHIND, verdict: 'loser' }, { ...AHEAD, name: 'C' }]);
    expect(text).toMatch(/^C is ahead/);
    expect(details).toContain('B is worse than the original.');
  });

  it.each([
    ['NO_PARTICIPANTS', 'The original and at least one other variation need participants.'],
    ['INVALID_COUNTS', 'There are more conversions than participants. Check how your site sends events.'],
    ['INSUFFICIENT_DATA', 'There are too few participants for a comparison.'],
  ] as const)('cannot be compared: %s', (warning, detail) => {
    const found = say([A, { name: 'B', rate: null, warnings: [warning] }]);
    expect([found.label, found.headline, found.details]).toEqual([
      'Not comparable yet',
      'Cannot be compared yet',
      [detail],
    ]);
  });

  it.each([
    ['pause', 'B is ahead, but this is not yet certain: the experiment is paused', true],
    ['archive', 'B is ahead, but this is not yet certain: the experiment has ended', false],
    ['preview', 'B is ahead, but this is not yet certain: the experiment is not running', true],
  ])('makes no forecast in the status %s', (status, text, hasNeed) => {
    const found = say([A, { ...AHEAD, daysLeft: 12 }], { status });
    expect([found.headline, found.progress]).toEqual([text, null]);
    expect(found.details.includes('The experiment needs to run about 12 days longer.')).toBe(hasNeed);
  });

  it('makes no forecast from a filtered time range', () => {
    const found = say([A, { ...AHEAD, daysLeft: 12 }], { isWholeTime: false });
    expect([found.headline, found.progress]).toEqual([
      'B is ahead, but this is not yet certain in the selected period',
      null,
    ]);
  });
});

describe('a goal for which lower is better', () => {
  const decrease = (sketches: readonly Sketch[]) => say(sketches, {}, { direction: 'decrease' });

  it('inverts ahead and behind', () => {
    expect(decrease([A, BEHIND]).headline).toMatch(/^B is ahead/);
    expect(decrease([A, AHEAD]).headline).toMatch(/^B is behind/);
  });

  it('says that lower is better', () => {
    expect(decrease([A, { ...BEHIND, verdict: 'winner' }]).details).toEqual([
      'The conversion rate of B is 7.00\u202f%, 6.7\u202f% lower than A (7.50\u202f%). Lower is better for this goal.',
    ]);
  });
});

describe('a goal with values', () => {
  it('compares the value per participant', () => {
    const { details } = say([
      { ...A, value: 18.45 },
      { ...AHEAD, value: 18.76, difference: 0.31, uplift: 0.0168 },
    ]);
    expect(details).toEqual(['The value per participant of B is 18.76, 1.7\u202f% higher than A (18.45).']);
  });

  it('works without an uplift if the original is zero', () => {
    const { details } = say([
      { ...A, value: 0 },
      { ...AHEAD, value: 2.5, difference: 2.5, uplift: null },
    ]);
    expect(details).toEqual(['The value per participant of B is 2.50, higher than A (0.00).']);
  });
});

describe('a goal with nothing to compare', () => {
  it.each([
    ['one variation', [A], 'There is only one variation'],
    ['no original', [{ ...A, isOriginal: false }, AHEAD], 'There is no original to compare with'],
    [
      'no participants in the filter',
      [
        { ...A, participants: 0 },
        { ...AHEAD, participants: 0 },
      ],
      'No participants match the filter',
    ],
    ['no variation at all', [], 'No participants match the filter'],
  ])('gives the reason: %s', (_, sketches, text) => {
    expect(say(sketches)).toMatchObject({ tone: 'nothing', headline: text, details: [] });
  });
});

describe('a sample ratio mismatch', () => {
  it('takes precedence over the figures', () => {
    const found = say([A, { ...AHEAD, verdict: 'untrustworthy', minRuntimeReached: false }]);
    expect(found).toMatchObject({
      tone: 'doubt',
      label: 'Do not trust',
      headline: 'This result cannot be trusted',
    });
    expect(found.details[0]).toMatch(/^The conversion rate of B is 8\.05/);
  });
});

describe('names', () => {
  it('are isolated and truncated', () => {
    const goal = goalFigures([A, { ...AHEAD, name: `\u202e${'x'.repeat(255)}` }]);
    expect(verdictText(goal, RUNNING).headline).toBe(
      `\u2068${'x'.repeat(59)}…\u2069 is ahead, but this is not yet certain: no forecast yet`,
    );
  });
});
