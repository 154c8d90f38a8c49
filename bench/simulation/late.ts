import { dailyOf, rate, type SimulatedArm, SimulatedExperiment, type SimulatedMetric } from './experiment';
import { fixedJudge, type Judge, judgeRun, plannedJudge, sequentialJudge, steadyMoments } from './judges';
import { randomOf } from './random';
import { markdownTable, percent, type Part, type RuleShares, sharesOf, type Task } from './report';

/** An experiment whose participants convert days after they entered. */
export interface LateScenario {
  name: string;
  /** Participants of both variations on a day, counted from 1. */
  traffic: (day: number) => number;
  days: number;
  /** Mean days from entering to converting; no time passes if absent. */
  delay?: number;
  returns?: SimulatedArm['returns'];
  change?: SimulatedArm['change'];
  metric: SimulatedMetric;
  shares?: readonly [control: number, variation: number];
  /** Relative change of the variation's conversion rate; none if absent. */
  effect?: number;
}

const constant = { name: '1,000 a day', traffic: () => 1_000, days: 28 };
const falling = { name: 'falling from 2,600 a day', traffic: (day: number) => 3_000 * Math.exp(-day / 8) };
const burst = {
  name: '3,200 a day for a week, then 115',
  traffic: (day: number) => (day <= 7 ? 3_200 : 115),
  days: 56,
};

const revenue: SimulatedMetric = { label: 'lognormal 1', rate: 0.05, value: { lognormal: 1 } };

export const SCENARIOS: LateScenario[] = [
  { ...constant, delay: 5, metric: rate(0.03) },
  { ...constant, delay: 10, metric: rate(0.8) },
  { ...falling, days: 28, delay: 5, metric: rate(0.05) },
  { ...falling, days: 42, delay: 14, metric: rate(0.05) },
  { ...burst, delay: 30, metric: rate(0.05) },
  { ...burst, delay: 30, metric: rate(0.6) },
  { ...burst, delay: 30, metric: rate(0.05), shares: [90, 10] },
  { ...burst, delay: 30, metric: revenue },
  { ...burst, returns: { share: 0.5, after: 14 }, metric: revenue },
  { ...burst, returns: { share: 0.8, after: 30 }, metric: revenue },
  { ...constant, returns: { share: 0.3, after: 14 }, metric: revenue },
  { ...constant, returns: { share: 0.5, after: 14 }, metric: revenue },
  { ...constant, change: { day: 19, factor: 2 }, metric: revenue },
  { ...constant, change: { day: 19, factor: 4 }, metric: revenue },
  { ...constant, delay: 5, metric: rate(0.03), effect: 0.2 },
  { ...falling, days: 42, delay: 14, metric: rate(0.05), effect: 0.15 },
];

function nameOf(scenario: LateScenario): string {
  const { name, days, delay, returns, change, metric, shares = [50, 50], effect = 0 } = scenario;
  return [
    shares.join('/'),
    metric.label,
    ...(effect === 0 ? [] : [`+${Math.round(100 * effect)} %`]),
    name,
    `${days} days`,
    ...(delay === undefined ? [] : [`delay ${delay}`]),
    ...(returns === undefined ? [] : [`${100 * returns.share} % taken back after ${returns.after} days`]),
    ...(change === undefined ? [] : [`values times ${change.factor} from day ${change.day}`]),
  ].join(', ');
}

/** Participants per day and variation, at least one each. */
const dailyIn = ({ traffic, shares = [50, 50] }: LateScenario, day: number): [number, number] =>
  dailyOf(shares, Math.round(traffic(day)));

/** The participants who have entered by the end of a day. */
function enteredIn(scenario: LateScenario): (day: number) => number {
  const entered = [0];
  for (let day = 1; day <= scenario.days; day += 1) {
    const [control, variation] = dailyIn(scenario, day);
    entered.push(entered[day - 1] + control + variation);
  }
  return (day) => entered[day];
}

function lateExperiment(scenario: LateScenario, random: () => number): SimulatedExperiment {
  const { metric, delay, returns, change, effect = 0 } = scenario;
  const armOf = (index: 0 | 1, factor: number) => ({
    daily: (day: number) => dailyIn(scenario, day)[index],
    metric: { ...metric, rate: metric.rate * factor },
    scale: 1,
    delay,
    returns,
    change,
  });
  return new SimulatedExperiment([armOf(0, 1), armOf(1, 1 + effect)], random);
}

/** `planned` as if the evidence grew like the participants. */
function steadyJudge(options: Parameters<typeof plannedJudge>[0]): Judge {
  const judge = plannedJudge(options);
  return {
    ...judge,
    begin: () => {
      const boundaries = judge.begin();
      return (day, effect) => boundaries(day, { ...effect, ...steadyMoments(effect.information) });
    },
  };
}

function lateJudges(scenario: LateScenario): Map<string, Judge> {
  const { days, traffic } = scenario;
  const options = { days, daily: Math.round(traffic(1)), entered: enteredIn(scenario) };
  return new Map([
    ['fixed, one look', fixedJudge(options)],
    ['sequential', sequentialJudge(options)],
    ['planned', plannedJudge(options)],
    ['planned, participants as evidence', steadyJudge(options)],
  ]);
}

export function simulate(scenario: LateScenario, runs: number, seed: number): RuleShares {
  const judges = lateJudges(scenario);
  const experiment = lateExperiment(scenario, randomOf(seed, nameOf(scenario)));
  return sharesOf(runs, [...judges.keys()], () =>
    judgeRun(experiment, [...judges.values()]).map(({ sign }) => sign !== 0),
  );
}

const tasks: Task<RuleShares>[] = SCENARIOS.map((scenario) => ({
  name: nameOf(scenario),
  run: (runs, seed) => simulate(scenario, runs, seed),
}));

function report(results: ReadonlyMap<string, RuleShares>): string {
  const [first = {}] = results.values();
  const rows = [...results].map(([name, verdicts]) => [name, ...Object.values(verdicts).map(percent)]);
  return markdownTable(['experiment', ...Object.keys(first)], rows);
}

export const late: Part<RuleShares> = { tasks, report };
