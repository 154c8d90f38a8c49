import { dailyOf, SimulatedExperiment, type SimulatedMetric } from './experiment';
import { type Judge, judgeRun, plannedJudge, sequentialJudge } from './judges';
import { randomOf } from './random';
import { markdownTable, percent, type Part, type Task } from './report';

const SHARES: [number, number][] = [
  [50, 50],
  [80, 20],
  [90, 10],
  [95, 5],
];
export const METRICS: SimulatedMetric[] = [
  { label: 'rate 0.5 %', rate: 0.005, value: null },
  { label: 'rate 3 %', rate: 0.03, value: null },
  { label: 'rate 20 %', rate: 0.2, value: null },
  { label: 'lognormal 1', rate: 0.03, value: { lognormal: 1 } },
  { label: 'lognormal 1.5', rate: 0.03, value: { lognormal: 1.5 } },
  { label: 'lognormal 2', rate: 0.03, value: { lognormal: 2 } },
  { label: 'Pareto 2.1', rate: 0.03, value: { pareto: 2.1 } },
];
const TRAFFIC = [100, 1_000, 10_000];
const LOOKS = [28, 90];
const GATES = [25, 0];

/** A cell with a higher rate of false verdicts is simulated again, with many more runs and another seed. */
const DOUBTFUL = 0.06;
const REPETITIONS = 10;
/** The maximum rate of false verdicts in the repetition. */
const ALLOWED = 0.055;

/** Runs with a verdict although there is no difference, by direction. */
export interface FalseVerdicts {
  runs: number;
  better: number;
  worse: number;
}

/**
 * One combination of shares, metric and traffic. Both methods and all lengths and minimums are evaluated on the same
 * data.
 */
interface GridResult {
  /** In the order of `judgesOf`. */
  cells: FalseVerdicts[];
  /** The repeated simulation of a doubtful cell; null for all other cells. */
  repeated: (FalseVerdicts | null)[];
}

const shareOf = ({ runs, better, worse }: FalseVerdicts): number => (better + worse) / runs;

const METHODS = ['sequential', 'planned'];

export const cellNames = METHODS.flatMap((method) =>
  LOOKS.flatMap((days) => GATES.map((gate) => `${method}, ${days} days, gate ${gate}`)),
);

export const judgesOf = (daily: number): Judge[] =>
  [sequentialJudge, plannedJudge].flatMap((judgeOf) =>
    LOOKS.flatMap((days) => GATES.map((minConversions) => judgeOf({ days, daily, minConversions }))),
  );

/**
 * The numbers of runs in which each judge finds the variation better or worse although there is no difference.
 * Deterministic for a seed and name.
 */
export function falseVerdicts(
  { shares, metric, daily }: { shares: readonly [number, number]; metric: SimulatedMetric; daily: number },
  judges: readonly Judge[],
  runs: number,
  [seed, name]: readonly [seed: number, name: string],
): FalseVerdicts[] {
  const [control, variation] = dailyOf(shares, daily).map((own) => ({ daily: own, metric, scale: 1 }));
  const experiment = new SimulatedExperiment([control, variation], randomOf(seed, name));
  const counts = judges.map((): FalseVerdicts => ({ runs, better: 0, worse: 0 }));
  for (let run = 0; run < runs; run += 1) {
    judgeRun(experiment, judges).forEach(({ sign }, index) => {
      counts[index].better += sign > 0 ? 1 : 0;
      counts[index].worse += sign < 0 ? 1 : 0;
    });
  }
  return counts;
}

const tasks: Task<GridResult>[] = SHARES.flatMap((shares) =>
  METRICS.flatMap((metric) =>
    TRAFFIC.map((daily) => {
      const name = `${shares.join('/')}, ${metric.label}, ${daily} a day`;
      return { name, run: (runs: number, seed: number) => simulate(runs, seed) };

      function simulate(runs: number, seed: number): GridResult {
        const judges = judgesOf(daily);
        const scenario = { shares, metric, daily };
        const cells = falseVerdicts(scenario, judges, runs, [seed, name]);
        const isDoubtful = cells.map((cell) => shareOf(cell) > DOUBTFUL);
        const again = judges.filter((_, index) => isDoubtful[index]);
        const repeats = falseVerdicts(scenario, again, again.length && REPETITIONS * runs, [seed + 1, name]);
        return {
          cells,
          repeated: isDoubtful.map((doubtful) => (doubtful ? (repeats.shift() ?? null) : null)),
        };
      }
    }),
  ),
);

/** One row for each combination (a repeated cell shows both figures), then the worst cells by shares and metric. */
function report(results: ReadonlyMap<string, GridResult>, runs: number): string {
  const rows = [...results].map(([name, { cells, repeated }]) => [
    name,
    ...cells.map((cell, index) => {
      const again = repeated[index];
      return again === null
        ? percent(shareOf(cell))
        : `${percent(shareOf(cell))} (${percent(shareOf(again))})`;
    }),
  ]);
  const finals = [...results].flatMap(([name, { cells, repeated }]) =>
    cells.map((cell, index): FinalCell => {
      const again = repeated[index];
      const [shares, metric] = name.split(', ');
      const method = cellNames[index].split(', ')[0];
      return { shares, metric, method, share: shareOf(again ?? cell), isRepeated: again !== null };
    }),
  );
  const summary = METHODS.map((method) => {
    const own = finals.filter((cell) => cell.method === method);
    const failed = own.filter(({ share, isRepeated }) => isRepeated && share > ALLOWED).length;
    const failures = `${failed} above ${percent(ALLOWED)} when repeated`;
    return `${method}: ${own.length} cells of ${runs} runs, worst ${percent(worstOf(own))}, ${failures}`;
  });
  return [markdownTable(['cell', ...cellNames], rows), '', worstTable(finals), '', ...summary].join('\n');
}

interface FinalCell {
  shares: string;
  metric: string;
  method: string;
  share: number;
  isRepeated: boolean;
}

const worstOf = (cells: readonly FinalCell[]): number => Math.max(0, ...cells.map(({ share }) => share));

function worstTable(cells: readonly FinalCell[]): string {
  const allShares = unique(cells.map(({ shares }) => shares));
  const columns = METHODS.flatMap((method) => allShares.map((shares) => ({ method, shares })));
  const worst = (metric: string, { method, shares }: { method: string; shares: string }): string => {
    const own = cells.filter((cell) => cell.metric === metric && cell.method === method);
    return percent(worstOf(own.filter((cell) => cell.shares === shares)));
  };
  const rows = unique(cells.map(({ metric }) => metric)).map((metric) => [
    metric,
    ...columns.map((column) => worst(metric, column)),
  ]);
  return markdownTable(['worst cell', ...columns.map(({ method, shares }) => `${method}, ${shares}`)], rows);
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

export const grid: Part<GridResult> = { tasks, report };
