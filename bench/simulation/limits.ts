import { effectOf, rateEffect } from '../../src/statistics/effect';
import { compareRates, mantelHaenszel } from '../../src/statistics/rate-comparison';
import type { RateCounts } from '../../src/statistics/rate-intervals';
import { sequentialCritical, tuningOfPair } from '../../src/statistics/sequential';
import type { Stratum } from '../../src/statistics/strata';
import {
  dailyOf,
  momentsOf,
  rate,
  type SimulatedArm,
  SimulatedExperiment,
  type SimulatedMetric,
} from './experiment';
import {
  ALPHA,
  FIRST_LOOK,
  fixedJudge,
  type Judge,
  judgeRun,
  plannedJudge,
  sequentialJudge,
  shortenedJudge,
} from './judges';
import { Binomial, type Random, randomOf } from './random';
import { markdownTable, percent, type Part, type RuleShares, sharesOf, type Task } from './report';

const revenue = (lognormal: number): SimulatedMetric => ({
  label: `lognormal ${lognormal}`,
  rate: 0.03,
  value: { lognormal },
});

/** Two variations with the same mean, whose distributions may differ. */
function nothingDiffers(
  name: string,
  shares: readonly [number, number],
  [first, second]: readonly [SimulatedMetric, SimulatedMetric],
  { daily = 1_000, days = 28 } = {},
): Task<RuleShares> {
  const fullName = `${name}, ${daily} a day, ${days} days`;
  return { name: fullName, run };

  function run(runs: number, seed: number): RuleShares {
    const random = randomOf(seed, fullName);
    const [control, variation] = dailyOf(shares, daily);
    const scale = momentsOf(first).mean / momentsOf(second).mean;
    const arms: [SimulatedArm, SimulatedArm] = [
      { daily: control, metric: first, scale: 1 },
      { daily: variation, metric: second, scale },
    ];
    const judges = new Map<string, Judge>([
      ['fixed, one look', fixedJudge({ days, daily })],
      ['fixed, daily looks', fixedJudge({ days, daily }, true)],
      ['sequential, unpooled error', sequentialJudge({ days, daily, error: 'standardError' })],
      ['sequential', sequentialJudge({ days, daily })],
      ['planned', plannedJudge({ days, daily })],
    ]);
    const experiment = new SimulatedExperiment(arms, random);
    return sharesOf(runs, [...judges.keys()], () =>
      judgeRun(experiment, [...judges.values()]).map(({ sign }) => sign !== 0),
    );
  }
}

/** An experiment in phases of two weeks, each with its own share of the variation and conversion rates of both. */
interface PhasedScenario {
  name: string;
  daily: number;
  phases: readonly { share: number; rates: readonly [control: number, variation: number] }[];
}

/** The effect of changing a plan after the start if there is no difference. */
const planChanges = ({ daily = 1_000, days = 28, longest = 90 } = {}): Task<RuleShares> => {
  const metric = rate(0.03);
  const name = `plan of ${days} days changed by its results, 50/50, ${metric.label}, ${daily} a day`;
  return { name, run };

  function run(runs: number, seed: number): RuleShares {
    const arm = { daily: daily / 2, metric, scale: 1 };
    const experiment = new SimulatedExperiment([arm, arm], randomOf(seed, name));
    const judges = [
      plannedJudge({ days, daily }),
      shortenedJudge({ days, daily }),
      sequentialJudge({ days: longest, daily, tuning: days * daily }),
    ];
    return sharesOf(runs, ['planned', 'end moved to any day', `removed on any day, ${longest} days`], () => {
      const [kept, shortened, removed] = judgeRun(experiment, judges).map(({ sign }) => sign !== 0);
      return [kept, shortened, kept || removed];
    });
  }
};

const WEEKS = 14;

const PHASED: PhasedScenario[] = [
  {
    name: 'no effect: 90/10 at a rate of 5 %, then 50/50 at 8 %',
    daily: 1_000,
    phases: [
      { share: 0.1, rates: [0.05, 0.05] },
      { share: 0.5, rates: [0.08, 0.08] },
    ],
  },
  {
    name: '3 % to 3.3 %: 10/90, then 50/50',
    daily: 3_500,
    phases: [
      { share: 0.9, rates: [0.03, 0.033] },
      { share: 0.5, rates: [0.03, 0.033] },
    ],
  },
];

const phased = ({ name, daily, phases }: PhasedScenario): Task<RuleShares> => ({
  name: `${name}, ${daily} a day, 28 days`,
  run: (runs, seed) => {
    const random = randomOf(seed, name);
    const draw = phases.map(({ share, rates }) => {
      const sizes = dailyOf([1 - share, share], daily);
      return { sizes, samplers: sizes.map((size, arm) => new Binomial(size, rates[arm])) };
    });
    return sharesOf(runs, ['fixed, pooled phases', 'fixed, Mantel-Haenszel', 'sequential'], () => {
      const strata: RatePair[] = [];
      let isDecided = false;
      for (let day = 1; day <= WEEKS * draw.length; day += 1) {
        const phase = Math.ceil(day / WEEKS) - 1;
        strata[phase] = withDay(strata[phase], draw[phase], random);
        isDecided ||= day >= FIRST_LOOK && isCrossed(strata, tuningOfPair(daily * FIRST_LOOK));
      }
      const [control, variation] = pooled(strata);
      const isPooledSignificant = compareRates(control, variation, ALPHA).pValue <= ALPHA;
      return [isPooledSignificant, mantelHaenszel(strata) <= ALPHA, isDecided];
    });
  },
});

type RatePair = Stratum<RateCounts>;

const NOTHING: RateCounts = { successes: 0, trials: 0 };

function withDay(
  before: RatePair | undefined,
  { sizes, samplers }: { sizes: readonly number[]; samplers: readonly Binomial[] },
  random: Random,
): RatePair {
  const grown = ({ successes, trials }: RateCounts, arm: number): RateCounts => ({
    successes: successes + samplers[arm].draw(random),
    trials: trials + sizes[arm],
  });
  return { control: grown(before?.control ?? NOTHING, 0), variation: grown(before?.variation ?? NOTHING, 1) };
}

function isCrossed(strata: readonly RatePair[], tuning: number): boolean {
  const effect = effectOf(strata.map(rateEffect));
  const critical = sequentialCritical(effect.participants, ALPHA, tuning);
  return effect.standardError > 0 && Math.abs(effect.difference) >= critical * effect.largestError;
}

const pooled = (strata: readonly RatePair[]): [RateCounts, RateCounts] => [
  strata.map(({ control }) => control).reduce(added, NOTHING),
  strata.map(({ variation }) => variation).reduce(added, NOTHING),
];

const added = (a: RateCounts, b: RateCounts): RateCounts => ({
  successes: a.successes + b.successes,
  trials: a.trials + b.trials,
});

const tasks: Task<RuleShares>[] = [
  nothingDiffers('50/50, rate 3 %', [50, 50], [rate(0.03), rate(0.03)]),
  nothingDiffers('90/10, rate 1 %', [90, 10], [rate(0.01), rate(0.01)]),
  nothingDiffers('95/5, rate 1 %', [95, 5], [rate(0.01), rate(0.01)]),
  nothingDiffers('90/10, lognormal 1.5', [90, 10], [revenue(1.5), revenue(1.5)]),
  nothingDiffers('10/90, lognormal 1.5', [10, 90], [revenue(1.5), revenue(1.5)]),
  nothingDiffers('50/50, lognormal 1 against 1.5', [50, 50], [revenue(1), revenue(1.5)]),
  nothingDiffers('50/50, lognormal 1 against 2', [50, 50], [revenue(1), revenue(2)]),
  nothingDiffers('50/50, lognormal 1 against 2', [50, 50], [revenue(1), revenue(2)], { days: 90 }),
  nothingDiffers('50/50, lognormal 1 against 2', [50, 50], [revenue(1), revenue(2)], {
    daily: 100,
    days: 90,
  }),
  nothingDiffers('10/90, lognormal 1 against 1.5', [10, 90], [revenue(1), revenue(1.5)]),
  nothingDiffers('90/10, lognormal 1 against 1.5', [90, 10], [revenue(1), revenue(1.5)]),
  nothingDiffers('90/10, lognormal 1 against 2', [90, 10], [revenue(1), revenue(2)], { days: 90 }),
  planChanges(),
  ...PHASED.map(phased),
];

/** A row for each rule of each scenario. */
function report(results: ReadonlyMap<string, RuleShares>): string {
  const rows = [...results].flatMap(([name, limits]) =>
    Object.entries(limits).map(([rule, share]) => [name, rule, percent(share)]),
  );
  return markdownTable(['experiment', 'rule', 'verdicts'], rows);
}

export const limits: Part<RuleShares> = { tasks, report };
