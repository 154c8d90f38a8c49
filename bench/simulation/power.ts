import { looksInflation, sampleSizeForMeans, sampleSizeForRates } from '../../src/statistics/plan';
import { momentsOf, SimulatedExperiment, type SimulatedMetric } from './experiment';
import { ALPHA, FIRST_LOOK, fixedJudge, type Judge, judgeRun, plannedJudge, sequentialJudge } from './judges';
import { randomOf } from './random';
import { markdownTable, percent, type Part, type Task } from './report';

const POWER = 0.8;
/** Days of a continued experiment, as a multiple of the planned days. */
const LONG = 4;

interface PowerScenario {
  /** Share of the variation. */
  share: number;
  metric: SimulatedMetric;
  /** The planned effect, relative. */
  planned: number;
  /** The true effect, as a fraction of the planned one. */
  part: number;
  days: number;
}

/** How often, and with what bias, a judge found the effect. */
interface Found {
  found: number;
  /** The mean uplift at the verdict among winners, divided by the true one; null if there are no winners. */
  exaggeration: number | null;
}

const BASE: SimulatedMetric = { label: 'rate 3 %', rate: 0.03, value: null };
const REVENUE: SimulatedMetric = { label: 'lognormal 1', rate: 0.03, value: { lognormal: 1 } };

const SCENARIOS: PowerScenario[] = [
  { share: 0.5, metric: BASE, planned: 0.1, part: 1, days: 14 },
  { share: 0.5, metric: BASE, planned: 0.1, part: 1, days: 28 },
  { share: 0.5, metric: BASE, planned: 0.1, part: 0.5, days: 28 },
  { share: 0.5, metric: BASE, planned: 0.1, part: 0.3, days: 28 },
  { share: 0.1, metric: BASE, planned: 0.1, part: 1, days: 28 },
  { share: 0.1, metric: BASE, planned: -0.1, part: 1, days: 28 },
  { share: 0.5, metric: { label: 'rate 20 %', rate: 0.2, value: null }, planned: 0.05, part: 1, days: 28 },
  { share: 0.5, metric: REVENUE, planned: 0.1, part: 1, days: 28 },
  { share: 0.1, metric: REVENUE, planned: 0.1, part: 1, days: 28 },
];

/**
 * `sequential` is tested three times: for the days planned for a fixed test, for the days that it needs itself, and for
 * `LONG` times the planned days.
 */
const JUDGES = [
  'fixed',
  'planned',
  'sequential',
  'sequential, own plan',
  `sequential, ${LONG} times`,
] as const;

const tasks: Task<Found[]>[] = SCENARIOS.map((scenario) => ({
  name: nameOf(scenario),
  run: (runs, seed) => simulate(scenario, runs, randomOf(seed, nameOf(scenario))),
}));

function nameOf({ share, metric, planned, part, days }: PowerScenario): string {
  const shares = `${100 - 100 * share}/${100 * share}`;
  const effect = `${planned > 0 ? '+' : ''}${(100 * planned).toFixed(0)} %`;
  return `${shares}, ${metric.label}, planned ${effect}, truth ${(100 * planned * part).toFixed(0)} %, ${days} days`;
}

/** Simulates the effect in a scenario: on the values if the metric has values, otherwise on the conversion rate. */
function simulate(scenario: PowerScenario, runs: number, random: () => number): Found[] {
  const { metric, planned, part, days } = scenario;
  const effect = planned * part;
  const hasValue = metric.value !== null;
  const [controlSize, variationSize] = fixedSize(scenario);
  const [control, variation] = [controlSize, variationSize].map((size) => Math.round(size / days));
  const changed = hasValue ? metric : { ...metric, rate: metric.rate * (1 + effect) };
  const experiment = new SimulatedExperiment(
    [
      { daily: control, metric, scale: 1 },
      { daily: variation, metric: changed, scale: hasValue ? 1 + effect : 1 },
    ],
    random,
  );
  const daily = control + variation;
  const own = Math.ceil(days * looksInflation('sequential', ALPHA, POWER, days, FIRST_LOOK));
  const judges: Judge[] = [
    fixedJudge({ days, daily }),
    plannedJudge({ days, daily }),
    sequentialJudge({ days, daily }),
    sequentialJudge({ days: own, daily, tuning: own * daily }),
    sequentialJudge({ days: LONG * days, daily }),
  ];
  const uplifts = judges.map((): number[] => []);
  for (let run = 0; run < runs; run += 1) {
    judgeRun(experiment, judges).forEach(({ sign, uplift }, index) => {
      if (sign === Math.sign(effect)) {
        uplifts[index].push(uplift);
      }
    });
  }
  return uplifts.map((winners) => ({
    found: winners.length / runs,
    exaggeration: winners.length === 0 ? null : meanOf(winners) / effect,
  }));
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Participants of control and variation for a fixed test with 80 % power. */
function fixedSize({ share, metric, planned }: PowerScenario): [number, number] {
  const plan = { alpha: ALPHA, power: POWER };
  const ratio = share / (1 - share);
  const { mean, deviation } = momentsOf(metric);
  const size =
    metric.value === null
      ? sampleSizeForRates([metric.rate, metric.rate * (1 + planned)], plan, ratio)
      : sampleSizeForMeans(mean * planned, deviation, plan, ratio);
  if (size === null) {
    throw new Error('A plan needs an effect.');
  }
  return [size.control, size.variation];
}

function report(results: ReadonlyMap<string, Found[]>): string {
  const rows = [...results].map(([name, found]) => [
    name,
    ...found.map(({ found: share, exaggeration }) =>
      exaggeration === null ? percent(share) : `${percent(share)} (${exaggeration.toFixed(2)})`,
    ),
  ]);
  const head = ['effect found (uplift at the verdict / true uplift)', ...JUDGES];
  return markdownTable(head, rows);
}

export const power: Part<Found[]> = { tasks, report };
