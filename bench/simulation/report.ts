/** One task, which depends only on the number of runs and the seed. */
export interface Task<Result> {
  name: string;
  run(runs: number, seed: number): Result;
}

/** A table of the simulation. */
export interface Part<Result> {
  tasks: Task<Result>[];
  /** The table of the finished simulations, by task name. */
  report(results: ReadonlyMap<string, Result>, runs: number): string;
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** The shares of runs with a verdict, by rule. */
export type RuleShares = Record<string, number>;

/** The share of runs in which each rule has a verdict. */
export function sharesOf(
  runs: number,
  names: readonly string[],
  runOnce: () => readonly boolean[],
): RuleShares {
  const counts = names.map(() => 0);
  for (let run = 0; run < runs; run += 1) {
    runOnce().forEach((isYes, index) => {
      counts[index] += isYes ? 1 : 0;
    });
  }
  return Object.fromEntries(names.map((name, index) => [name, counts[index] / runs]));
}
