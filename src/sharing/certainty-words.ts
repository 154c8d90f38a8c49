import { formatCertainty, formatCount } from '../presentation/text/numbers';
import type { ExperimentResults, GoalResults } from '../results/experiment-results';
import type { Method } from '../statistics/result';

/** What every verdict of an experiment depends on. */
interface Rule {
  method: Method;
  correction: ExperimentResults['correction'];
  /** As a fraction. */
  significance: number;
  /** Of a variation with the original on a goal. */
  comparisons: number;
}

/** What the certainty required promises and what it does not, in a few sentences; null without a goal to judge. */
export function certaintyWords({ goals, correction, significance }: ExperimentResults): string[] | null {
  const method = goals[0]?.variations[0]?.statistics.method;
  if (method === undefined) {
    return null;
  }
  const rule = { method, correction, significance, comparisons: comparisonsIn(goals) };
  return method === 'bayesian' ? probabilityWords(rule) : [...errorWords(rule), ...lookWords(rule)];
}

function comparisonsIn(goals: readonly GoalResults[]): number {
  return goals.reduce((sum, { variations }) => {
    const original = variations.some(({ isOriginal }) => isOriginal);
    return sum + (original ? variations.length - 1 : 0);
  }, 0);
}

function probabilityWords({ significance, comparisons }: Rule): string[] {
  const least = `at least ${formatCertainty(significance)}`;
  return [
    `A verdict is given only when the probability of being better than the original is ${least}, or that of being worse is ${least}.`,
    'It does not say how many verdicts would be wrong where there is no difference, and that grows with every look.',
    ...(comparisons > 1 ? [manyWords(comparisons)] : []),
  ];
}

const manyWords = (comparisons: number): string =>
  `It is asked of each comparison by itself: with ${formatCount(comparisons)} comparisons here, wrong verdicts are more likely than with one.`;

/** How often there is a verdict though there is no difference. */
function errorWords({ correction, significance, comparisons }: Rule): string[] {
  const experiments = `Where there is no difference at all, ${atMost(significance, 'experiment')} would get a verdict of better or worse by chance`;
  if (comparisons <= 1) {
    return [`${experiments}.`];
  }
  const together = `all ${formatCount(comparisons)} comparisons of a variation with the original taken together`;
  if (correction === 'holm') {
    return [`${experiments}, ${together}.`];
  }
  if (correction === 'benjamini-hochberg') {
    return [
      `Of the verdicts that an experiment gives, on average at most ${formatCertainty(1 - significance)} are by chance, where there is no difference, ${together}.`,
      'That is about the share of wrong verdicts among those given, not about whether there is a wrong one.',
    ];
  }
  return [
    `Where there is no difference at all, ${atMost(significance, 'comparison')} of a variation with the original would get a verdict of better or worse by chance.`,
    manyWords(comparisons),
  ];
}

const lookWords = ({ method }: Rule): string[] =>
  method === 'frequentist' ? ['That holds for one look, at the planned end.'] : [];

/** `at most 1 experiment in 20`, or a percentage where that is no whole number. */
function atMost(significance: number, thing: string): string {
  const oneIn = 1 / (1 - significance);
  const whole = Math.round(oneIn);
  return Math.abs(oneIn - whole) < whole * 1e-9
    ? `at most 1 ${thing} in ${formatCount(whole)}`
    : `at most ${formatCertainty(1 - significance)} of such ${thing}s`;
}
