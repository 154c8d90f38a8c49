import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { gatedVerdict, significantVerdict } from './decision';
import type { DecisionRules } from './input';
import { compareRates } from './rate-comparison';
import type { RateCounts } from './rate-intervals';
import type { Method } from './result';
import { sequentialTest } from './sequential';

const EXPERIMENTS = 2_500;
const LOOKS = 30;
const DAILY = 500;
const RATE = 0.03;

const rules = (method: Method): DecisionRules => ({
  method,
  correction: 'none',
  significance: 95,
  minConversions: 25,
  minRuntimeDays: 0,
});

type Random = () => number;

// Inside jest every look at a global is slow, and millions of numbers are drawn.
const { floor, log1p } = Math;

/** A number of successes, exactly binomial: the failures between two successes are geometric. */
function binomial(trials: number, rate: number, random: Random): number {
  const logFailure = log1p(-rate);
  const failures = (): number => floor(log1p(-random()) / logFailure);
  let successes = 0;
  for (let trial = failures(); trial < trials; trial += 1 + failures()) {
    successes += 1;
  }
  return successes;
}

function isDecided(control: RateCounts, variation: RateCounts, method: Method, day: number): boolean {
  const { difference, standardError, pValue } = compareRates(control, variation, 0.05);
  const participants = control.trials + variation.trials;
  const evidence = {
    difference,
    pValue,
    sequentialPValue: sequentialTest(difference, standardError, participants, 0.05).pValue,
    chanceToBeatOriginal: null,
  };
  const progress = { daysRunning: day, conversions: [control.successes, variation.successes] };
  const verdict = significantVerdict(evidence, rules(method), 'increase');
  return gatedVerdict(verdict, rules(method), progress) !== 'inconclusive';
}

/** The days on which an experiment without any effect is decided. */
function falseAlarms(method: Method, random: Random): number[] {
  let [control, variation] = [0, 0];
  const days: number[] = [];
  for (let day = 1; day <= LOOKS; day += 1) {
    control += binomial(DAILY, RATE, random);
    variation += binomial(DAILY, RATE, random);
    const trials = day * DAILY;
    if (isDecided({ successes: control, trials }, { successes: variation, trials }, method, day)) {
      days.push(day);
    }
  }
  return days;
}

/** How many of the experiments are decided on the last day, and how many on any day. */
function simulate(method: Method, seed: number): { last: number; any: number } {
  const generator = xoroshiro128plus(seed);
  const random = (): number => uniformFloat64(generator);
  const runs = Array.from({ length: EXPERIMENTS }, () => falseAlarms(method, random));
  return {
    last: runs.filter((days) => days.includes(LOOKS)).length / EXPERIMENTS,
    any: runs.filter((days) => days.length > 0).length / EXPERIMENTS,
  };
}

/** Four standard errors of a share of 5 % of the experiments. */
const TOLERANCE = 4 * Math.sqrt((0.05 * 0.95) / EXPERIMENTS);

describe('experiments in which nothing differs', () => {
  it('are decided in 5 % of the cases by a fixed-horizon test that is looked at once', () => {
    const { last, any } = simulate('frequentist', 20_260_501);
    expect(Math.abs(last - 0.05)).toBeLessThan(TOLERANCE);
    expect(any).toBeGreaterThan(0.2);
  });

  it('are decided in at most 5 % by the sequential test that is looked at every day', () => {
    expect(simulate('sequential', 20_260_502).any).toBeLessThan(0.05 + TOLERANCE);
  });
});

describe('the sampler', () => {
  // Mean and variance of the binomial distribution, n·p and n·p·(1-p), within four standard errors of each.
  it('is binomial', () => {
    const generator = xoroshiro128plus(7);
    const drawn = Array.from({ length: 20_000 }, () => binomial(40, 0.3, () => uniformFloat64(generator)));
    const mean = drawn.reduce((sum, x) => sum + x, 0) / drawn.length;
    const variance = drawn.reduce((sum, x) => sum + (x - mean) ** 2, 0) / drawn.length;
    expect(Math.abs(mean - 12)).toBeLessThan(4 * Math.sqrt(8.4 / drawn.length));
    expect(Math.abs(variance - 8.4)).toBeLessThan(4 * 8.4 * Math.sqrt(2 / drawn.length));
  });
});
