import { MadeExperiment, shareModel } from '../../test/support/share-models';
import { certaintyOfFigures, certaintyWords, rangeWords } from './certainty-words';

const TWO_GOALS = { goals: [{ name: 'Order' }, { name: 'Visit' }] };

const words = (made: MadeExperiment): string =>
  (certaintyWords(shareModel({ days: 2, ...made }).results) ?? []).join(' ').replaceAll('\u202f', ' ');

it('says that the ranges of average values are approximate', () => {
  expect(certaintyOfFigures({ metric: 'value' }, 'With 95 %.')).toMatch(/^With 95 %\. .* approximate/);
  expect(certaintyOfFigures({ metric: 'conversion' }, 'With 95 %.')).toBe('With 95 %.');
});

describe('the explanation of the ranges', () => {
  const ranges = (made: MadeExperiment): string =>
    rangeWords(shareModel({ days: 2, ...made }).results).join(' ');
  const ALWAYS = 'excludes zero if and only if the sequential test is significant';
  const UNCORRECTED = 'Each range is for one comparison';

  it('does not claim that ranges and corrected tests always agree', () => {
    const several = ranges({ ...TWO_GOALS, correction: 'holm' });
    expect([several.includes(ALWAYS), several.includes(UNCORRECTED)]).toEqual([false, true]);
    const without = ranges(TWO_GOALS);
    expect([without.includes(ALWAYS), without.includes(UNCORRECTED)]).toEqual([true, false]);
  });

  it('ignores a correction that has nothing to correct', () => {
    const guarded = { goals: [{ name: 'Order' }, { name: 'Kept', isGuardrail: true }] };
    for (const made of [{}, guarded]) {
      const one = ranges({ ...made, correction: 'holm' });
      expect([one.includes(ALWAYS), one.includes(UNCORRECTED)]).toEqual([true, false]);
    }
  });
});

describe('the explanation of the required certainty', () => {
  it('covers the experiment if there is one comparison', () => {
    for (const correction of ['none', 'holm', 'benjamini-hochberg'] as const) {
      expect(words({ correction })).toBe(
        'If there is no difference, at most 1 experiment in 20 would get a verdict of better or worse by chance.',
      );
    }
  });

  it('covers one look of a frequentist test', () => {
    expect(words({ method: 'frequentist' })).toMatch(/at most 1 experiment in 20.* for one look/);
  });

  it('covers each of several comparisons without a correction', () => {
    const text = words(TWO_GOALS);
    expect(text).toContain('at most 1 comparison in 20 of a variation with the original');
    expect(text).toContain('With 2 comparisons here, wrong verdicts are more likely than with one');
    expect(text).not.toContain('experiment in 20');
  });

  it("covers the whole experiment with Holm's correction", () => {
    expect(words({ ...TWO_GOALS, correction: 'holm' })).toMatch(
      /at most 1 experiment in 20 .* all 2 comparisons of a variation with the original taken together\.$/,
    );
  });

  it('counts guardrails separately with a correction, as the method does', () => {
    const guarded = { goals: [{ name: 'Order' }, { name: 'Kept', isGuardrail: true }] };
    expect(words({ ...guarded, correction: 'holm' })).toBe(
      'If there is no difference, at most 1 experiment in 20 would get a verdict of better or worse by chance. Guardrails are corrected separately, with the same limit.',
    );
    expect(words(guarded)).toContain('With 2 comparisons here');
  });

  it('covers the share of wrong verdicts with Benjamini-Hochberg', () => {
    const text = words({ ...TWO_GOALS, correction: 'benjamini-hochberg' });
    expect(text).toContain('On average, at most 5 % of an experiment’s verdicts are wrong by chance');
    expect(text).toContain('the share of wrong verdicts, not the chance');
    expect(text).not.toContain('in 20');
  });

  it.each([50, 95])('states only a probability with the Bayesian method at %i', (significance) => {
    const text = words({ method: 'bayesian', significance });
    expect(text).toContain(
      `a probability of at least ${significance} % of being better than the original, or of at least ${significance} % of being worse`,
    );
    expect(text).not.toMatch(/ 1 .* in \d/);
    expect(words({ ...TWO_GOALS, method: 'bayesian', correction: 'holm' })).toContain('With 2 comparisons');
  });

  it('never rounds the certainty up', () => {
    expect(words({ significance: 60 })).toContain('at most 40 % of experiments');
    expect(words({ significance: 99.99 })).toContain('at most 1 experiment in 10 000');
  });

  it('is null without goals', () => {
    expect(certaintyWords(shareModel({ goals: [] }).results)).toBeNull();
  });
});
