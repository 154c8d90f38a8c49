import { type PhaseCounts, sampleRatioOfPhases } from '../../src/statistics/srm';
import { Binomial, randomOf } from './random';
import { markdownTable, percent, type Part, type Task } from './report';

const DAILY = 1_000;

interface RatioResult {
  runs: number;
  /** Alarms on any day, and on the last day. */
  any: number;
  last: number;
}

/** Shares of the variation, one for each phase. Phases have the same length. */
const SCENARIOS = [[0.5], [0.1], [0.1, 0.5, 0.2]].flatMap((shares) =>
  [28, 90].map((days) => ({ shares, days })),
);

const tasks: Task<RatioResult>[] = SCENARIOS.map(({ shares, days }) => {
  const phases = shares.map((share) => `${100 - 100 * share}/${100 * share}`).join(', then ');
  const name = `${phases}, ${days} looks`;
  return { name, run };

  /** Assigns every participant at random, according to the day's shares. */
  function run(runs: number, seed: number): RatioResult {
    const random = randomOf(seed, name);
    const assigned = shares.map((share) => new Binomial(DAILY, share));
    const result = { runs, any: 0, last: 0 };
    for (let count = 0; count < runs; count += 1) {
      const counted: PhaseCounts[] = [];
      let [isAlarm, wasAlarm] = [false, false];
      for (let day = 0; day < days; day += 1) {
        const phase = Math.floor((day * shares.length) / days);
        const entered = assigned[phase].draw(random);
        const [control, variation] = counted[phase]?.counts ?? [0, 0];
        counted[phase] = {
          counts: [control + DAILY - entered, variation + entered],
          weights: [1 - shares[phase], shares[phase]],
        };
        isAlarm = sampleRatioOfPhases(counted).isMismatch;
        wasAlarm ||= isAlarm;
      }
      result.any += wasAlarm ? 1 : 0;
      result.last += isAlarm ? 1 : 0;
    }
    return result;
  }
});

function report(results: ReadonlyMap<string, RatioResult>): string {
  const rows = [...results].map(([name, { runs, any, last }]) => [
    name,
    percent(any / runs),
    percent(last / runs),
  ]);
  return markdownTable(['shares', 'false alarm at any look', 'at the last look'], rows);
}

export const sampleRatio: Part<RatioResult> = { tasks, report };
