import { goalFigures, Sketch } from '../../test/support/figures';
import { VerdictContext, VerdictText, verdictText } from './verdict';

const RUNNING: VerdictContext = { status: 'running', isWholeTime: true, isSampleRatioMismatch: false };
const A: Sketch = { name: 'A', rate: 0.075 };
const AHEAD: Sketch = { name: 'B', rate: 0.0805, difference: 0.0055, uplift: 0.0733 };
const BEHIND: Sketch = { name: 'B', rate: 0.07, difference: -0.005, uplift: -0.0667 };

/** A verdict without the marks that isolate names. */
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
  it('has a winner', () => {
    expect(say([A, { ...AHEAD, verdict: 'winner' }])).toEqual({
      tone: 'better',
      label: 'Better',
      headline: 'B is better',
      details: ['The conversion rate of B is 8.05\u202f%, 7.3\u202f% higher than the 7.50\u202f% of A.'],
      progress: null,
    });
  });

  it('has a loser, so the original stays', () => {
    expect(say([A, { ...BEHIND, verdict: 'loser' }])).toMatchObject({
      tone: 'worse',
      label: 'Keep the original',
      headline: 'A stays: B is worse',
    });
  });

  it('has only losers', () => {
    const loser: Sketch = { ...BEHIND, verdict: 'loser' };
    const losers = [A, loser, { ...loser, name: 'C' }];
    expect(headline(losers)).toBe('A stays: both other variations are worse');
    expect(headline([...losers, { ...loser, name: 'D' }])).toBe('A stays: all 3 other variations are worse');
  });

  it('names the best of several winners, and who else is decided', () => {
    const winner: Sketch = { ...AHEAD, verdict: 'winner' };
    const { headline: text, details } = say([
      A,
      winner,
      { ...winner, name: 'C', difference: 0.01 },
      { ...BEHIND, name: 'D', verdict: 'loser' },
    ]);
    expect(text).toBe('C is better');
    expect(details.slice(1)).toEqual([
      'B is better than the original too; which of them is best is not decided.',
      'D is worse than the original.',
    ]);
  });

  it('names at most some of many', () => {
    const winners = ['B', 'C', 'D', 'E', 'F', 'G'].map((name, index): Sketch => ({
      ...AHEAD,
      name,
      difference: 0.01 - index / 1000,
      verdict: 'winner',
    }));
    expect(say([A, ...winners]).details[1]).toMatch(/^C, D, E and 2 others are better/);
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
    [null, 'cannot say how long yet'],
  ])('with %p days left says: %s', (daysLeft, words) => {
    const { headline: text, progress } = say([A, { ...AHEAD, daysLeft }]);
    expect(text).toBe(`B is ahead, not yet certain: ${words}`);
    expect(progress).toEqual(daysLeft === null ? null : { daysRunning: 10, daysLeft });
  });

  it('says who is behind', () => {
    expect(headline([A, { ...BEHIND, daysLeft: 3 }])).toBe(
      'B is behind, not yet certain: about 3 days to go',
    );
  });

  it('says which minimum is not reached yet', () => {
    const gates = (fields: Sketch) => say([A, { ...AHEAD, ...fields }]).details.slice(1);
    const time = 'It has not run for its minimum time yet.';
    const conversions = 'It does not have the minimum of conversions in each variation yet.';
    expect(gates({ minRuntimeReached: false })).toEqual([time]);
    expect(gates({ minConversionsReached: false })).toEqual([conversions]);
    expect(gates({ minRuntimeReached: false, minConversionsReached: false })).toEqual([time, conversions]);
  });

  it('may have no difference at all', () => {
    const { headline: text, details } = say([A, { ...A, name: 'B', difference: 0, uplift: 0 }]);
    expect(text).toBe('No difference so far between B and A: cannot say how long yet');
    expect(details[0]).toBe('The conversion rate of B is 7.50\u202f%, exactly as that of A.');
  });

  it('names the best of several variations', () => {
    const third = { ...AHEAD, name: 'C', difference: 0.02, daysLeft: 4 };
    expect(headline([A, AHEAD, third, { name: 'D' }])).toBe(
      'C is ahead, not yet certain: about 4 days to go',
    );
    expect(headline([A, BEHIND, { ...BEHIND, name: 'C' }])).toBe(
      'No variation is ahead of A, not yet certain: cannot say how long yet',
    );
    expect(headline([A, { ...A, name: 'B', difference: 0 }, { ...BEHIND, name: 'C' }])).toMatch(
      /^No variation is ahead of A: /,
    );
  });

  it('leaves losers aside', () => {
    const { headline: text, details } = say([A, { ...BEHIND, verdict: 'loser' }, { ...AHEAD, name: 'C' }]);
    expect(text).toMatch(/^C is ahead/);
    expect(details).toContain('B is worse than the original.');
  });

  it.each([
    ['NO_PARTICIPANTS', 'The original and at least one other variation need participants.'],
    ['INVALID_COUNTS', 'More participants converted than took part; look at how the events are sent.'],
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
    ['pause', 'B is ahead, not yet certain: the experiment is paused', true],
    ['archive', 'B is ahead, not yet certain: the experiment has ended', false],
    ['preview', 'B is ahead, not yet certain: the experiment is not running', true],
  ])('makes no forecast in the status %s', (status, text, hasNeed) => {
    const found = say([A, { ...AHEAD, daysLeft: 12 }], { status });
    expect([found.headline, found.progress]).toEqual([text, null]);
    expect(found.details.includes('It would have to run for about 12 days more.')).toBe(hasNeed);
  });

  it('makes no forecast from a part of the time', () => {
    const found = say([A, { ...AHEAD, daysLeft: 12 }], { isWholeTime: false });
    expect([found.headline, found.progress]).toEqual([
      'B is ahead, not yet certain in the time selected here',
      null,
    ]);
  });
});

describe('a goal for which lower is better', () => {
  const decrease = (sketches: readonly Sketch[]) => say(sketches, {}, { direction: 'decrease' });

  it('turns ahead and behind', () => {
    expect(decrease([A, BEHIND]).headline).toMatch(/^B is ahead/);
    expect(decrease([A, AHEAD]).headline).toMatch(/^B is behind/);
  });

  it('says so', () => {
    expect(decrease([A, { ...BEHIND, verdict: 'winner' }]).details).toEqual([
      'The conversion rate of B is 7.00\u202f%, 6.7\u202f% lower than the 7.50\u202f% of A. For this goal lower is better.',
    ]);
  });
});

describe('a goal with values', () => {
  it('is about the value per participant', () => {
    const { details } = say([
      { ...A, value: 18.45 },
      { ...AHEAD, value: 18.76, difference: 0.31, uplift: 0.0168 },
    ]);
    expect(details).toEqual([
      'The value per participant of B is 18.76, 1.7\u202f% higher than the 18.45 of A.',
    ]);
  });

  it('can do without an uplift, for which the original must not be zero', () => {
    const { details } = say([
      { ...A, value: 0 },
      { ...AHEAD, value: 2.5, difference: 2.5, uplift: null },
    ]);
    expect(details).toEqual(['The value per participant of B is 2.50, higher than the 0.00 of A.']);
  });
});

describe('nothing to compare', () => {
  it.each([
    ['one variation', [A], 'There is only one variation, so there is nothing to compare'],
    [
      'no original',
      [{ ...A, isOriginal: false }, AHEAD],
      'No variation is the original, so there is nothing to compare with',
    ],
    [
      'nobody in the filter',
      [
        { ...A, participants: 0 },
        { ...AHEAD, participants: 0 },
      ],
      'Nobody took part in what is selected here',
    ],
    ['no variation at all', [], 'Nobody took part in what is selected here'],
  ])('%s', (_, sketches, text) => {
    expect(say(sketches)).toMatchObject({ tone: 'nothing', headline: text, details: [] });
  });
});

describe('a mismatch of the shares', () => {
  it('comes before whatever the figures say', () => {
    const found = say([A, { ...AHEAD, verdict: 'winner' }], { isSampleRatioMismatch: true });
    expect(found).toMatchObject({
      tone: 'doubt',
      label: 'Do not trust',
      headline: 'This result cannot be trusted',
    });
    expect(found.details[0]).toBe('As counted: B is better.');
  });

  it('does not matter where there is nothing to doubt', () => {
    expect(say([A], { isSampleRatioMismatch: true }).tone).toBe('nothing');
  });
});

describe('names', () => {
  it('are isolated and shortened', () => {
    const goal = goalFigures([A, { ...AHEAD, name: `\u202e${'x'.repeat(255)}` }]);
    expect(verdictText(goal, RUNNING).headline).toBe(
      `\u2068${'x'.repeat(59)}…\u2069 is ahead, not yet certain: cannot say how long yet`,
    );
  });
});
