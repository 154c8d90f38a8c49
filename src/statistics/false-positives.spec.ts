import { evaluate } from './evaluation';
import { experiment, goal, RULES, totals } from './fixtures/experiments';
import { dailyOf, SimulatedExperiment, type SimulatedMetric } from '../../bench/simulation/experiment';
import { type FalseVerdicts, falseVerdicts, judgesOf, METRICS } from '../../bench/simulation/grid';
import {
  FIRST_LOOK,
  fixedJudge,
  type Judge,
  judgeRun,
  plannedJudge,
  sequentialJudge,
  type Verdict,
} from '../../bench/simulation/judges';
import { parts } from '../../bench/simulation';
import { SCENARIOS, simulate } from '../../bench/simulation/late';
import { randomOf } from '../../bench/simulation/random';
import type { Look } from './input';
import type { Method } from './result';
import { tuningOfPair } from './sequential';

// A short version of `npm run simulate` that uses the same code.

const RUNS = 2_000;
const DAYS = 28;

/** Four standard errors of a 5 % share of the runs. */
const TOLERANCE = 4 * Math.sqrt((0.05 * 0.95) / RUNS);

const metricCalled = (label: string): SimulatedMetric => METRICS.find((metric) => metric.label === label)!;
const rate = (share: number): SimulatedMetric => ({ label: `rate ${share}`, rate: share, value: null });

function falseShares(
  shares: readonly [number, number],
  metric: SimulatedMetric,
  daily: number,
  judges: readonly Judge[],
): number[] {
  const scenario = { shares, metric, daily };
  const found = falseVerdicts(scenario, judges, RUNS, [20_260_502, `${shares.join('/')}, ${metric.label}`]);
  return found.map(({ runs, better, worse }: FalseVerdicts) => (better + worse) / runs);
}

describe('A/A experiments', () => {
  const daily = 1_000;

  it('are decided in 5 % of cases by a fixed-horizon test with one look', () => {
    const judges = [fixedJudge({ days: 30, daily }), fixedJudge({ days: 30, daily }, true)];
    const [atTheEnd, onEveryDay] = falseShares([50, 50], rate(0.03), daily, judges);
    expect(Math.abs(atTheEnd - 0.05)).toBeLessThan(TOLERANCE);
    expect(onEveryDay).toBeGreaterThan(0.2);
  });

  it.each([
    [[50, 50], 'rate 3 %', 1_000],
    [[90, 10], 'rate 0.5 %', 1_000],
    [[95, 5], 'rate 20 %', 100],
    [[90, 10], 'lognormal 1.5', 1_000],
    [[80, 20], 'Pareto 2.1', 100],
  ] as [[number, number], string, number][])(
    'are decided in at most 5 % of cases with the shares %j, %s',
    (shares, label, traffic) => {
      const judges = judgesOf(traffic).filter(({ days }) => days === DAYS);
      const found = falseShares(shares, metricCalled(label), traffic, judges);
      found.forEach((share, index) => {
        const allowed = judges[index].name === 'sequential' ? 0.05 : 0.05 + TOLERANCE;
        expect(share).toBeLessThan(allowed);
      });
      expect(found).toHaveLength(4);
    },
  );

  // At 95/5, the smaller variation has only a handful of converters at the first looks.
  it('would be decided too often with the unpooled error', () => {
    const judgesWith = (error: Judge['error']): Judge[] => [
      sequentialJudge({ days: DAYS, daily, error }),
      sequentialJudge({ days: DAYS, daily, error, tuning: 5_000 }),
    ];
    const unpooled = falseShares([95, 5], rate(0.01), daily, judgesWith('standardError'));
    const larger = falseShares([95, 5], rate(0.01), daily, judgesWith('largestError'));
    unpooled.forEach((share) => expect(share).toBeGreaterThan(0.05 + TOLERANCE));
    larger.forEach((share) => expect(share).toBeLessThan(0.05));
  });
});

describe('A/A experiments with late conversions', () => {
  const bursts = SCENARIOS.filter(
    ({ days, shares, metric }) => days === 56 && shares === undefined && metric.value === null,
  );

  it.each(bursts)(
    'are decided in at most 5 % of cases only if the correlation of looks follows the evidence: $metric.label',
    (scenario) => {
      const found = simulate(scenario, RUNS, 20_260_502);
      expect(found.sequential).toBeLessThan(0.05);
      expect(found.planned).toBeLessThan(0.05 + TOLERANCE);
      expect(found['planned, participants as evidence']).toBeGreaterThan(0.05 + TOLERANCE);
    },
  );
});

describe('the simulation', () => {
  const [shares, daily, days, minConversions] = [[80, 20] as const, 300, 14, 150];

  /** The cumulative counts at the end of each day of a run. */
  function daysOf(simulated: SimulatedExperiment): Look[] {
    simulated.reset();
    return Array.from({ length: days }, (_, index) => {
      simulated.nextDay();
      const { participants: n, control, variation } = simulated.stratum();
      const arms = [
        totals(n.control, Math.round(control.value * n.control)),
        totals(n.variation, Math.round(variation.value * n.variation)),
      ];
      const date = `2026-05-${String(index + 1).padStart(2, '0')}`;
      return { date, daysRunning: index + 1, phases: goal(arms).phases };
    });
  }

  /** The first verdict of a server that evaluates the result at the end of each day. */
  function servedVerdict(looks: readonly Look[], method: Method): Verdict {
    const [control, variation] = dailyOf(shares, daily);
    const planShares = new Map([
      [1, control],
      [2, variation],
    ]);
    const gates = { minConversions, minRuntimeDays: FIRST_LOOK };
    const plan = { participants: daily * days, shares: planShares, end: null, removedOn: null, ...gates };
    for (const [index, { phases, daysRunning }] of looks.entries()) {
      const counted = { ...goal([]), phases, looks: looks.slice(0, index + 1) };
      const input = experiment([counted], {
        rules: { ...RULES, ...gates, method },
        tuning: new Map([[2, tuningOfPair(daily * FIRST_LOOK)]]),
        plan: method === 'planned' ? plan : null,
        daysRunning,
      });
      const { uplift, statistics } = evaluate(input)[0][1];
      if (statistics.verdict !== 'inconclusive') {
        return { sign: statistics.verdict === 'winner' ? 1 : -1, uplift: uplift! };
      }
    }
    return { sign: 0, uplift: 0 };
  }

  // The rates differ, so verdicts occur on many different days. Equal uplifts show that the judge and the server decide
  // on the same day.
  it.each([
    ['sequential', undefined, sequentialJudge({ days, daily, minConversions })],
    ['planned', undefined, plannedJudge({ days, daily, minConversions })],
    ['planned', 3, plannedJudge({ days, daily, minConversions })],
  ] as const)('decides like the server with the method %s and the delay %s', (method, delay, judge) => {
    const [control, variation] = dailyOf(shares, daily);
    const arms = [
      { daily: control, metric: rate(0.1), scale: 1, delay },
      { daily: variation, metric: rate(0.14), scale: 1, delay },
    ] as const;
    const simulated = new SimulatedExperiment(arms, randomOf(5, 'judged'));
    const replayed = new SimulatedExperiment(arms, randomOf(5, 'judged'));
    const verdicts = Array.from({ length: 15 }, () => {
      const [judged] = judgeRun(simulated, [judge]);
      const served = servedVerdict(daysOf(replayed), method);
      expect(judged).toEqual({ sign: served.sign, uplift: expect.closeTo(served.uplift, 9) as number });
      return judged;
    });
    expect(new Set(verdicts.map(({ sign }) => sign))).toEqual(new Set([0, 1]));
  });

  it('covers the whole grid', () => {
    const names = parts.get('grid')!.tasks.map(({ name }) => name);
    expect(names).toHaveLength(4 * 7 * 3);
    expect(new Set(names).size).toBe(names.length);
    expect(judgesOf(100)).toHaveLength(2 * 2 * 2);
  });

  it('prints reproducible tables for a seed', () => {
    for (const [, part] of parts) {
      const task = part.tasks[0];
      const printed = (): string => part.report(new Map([[task.name, task.run(20, 7)]]), 20);
      expect(printed()).toBe(printed());
      expect(printed()).toContain(task.name);
      expect(printed()).not.toMatch(/NaN|undefined|Infinity/);
    }
  });
});
