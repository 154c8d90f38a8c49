import type { Series } from '../presentation/plots/series';
import { formatCertainty, formatCount } from '../presentation/text/numbers';
import type { ExperimentResults, GoalResults, PlottedGoal } from '../results/experiment-results';
import type { Method } from '../statistics/result';
import { isImpossible } from './comparison';

/** Explains the ranges in a plot. @param significance as a fraction */
export function certaintyOfRanges(method: Method, significance: number): string {
  const start = `With ${formatCertainty(significance)} confidence`;
  return isForEveryDay(method)
    ? `${start}, the shaded ranges of all days contain the true value.`
    : `${start}, the shaded range of a single day contains the true value: look once, at the planned end.`;
}

const APPROXIMATE =
  'For average values this is approximate: rare large values can make the ranges too narrow, unless they are capped.';

/**
 * Like `certaintyOfRanges`, but for a plot of each variation's figures. The error of a skewed mean is underestimated
 * precisely when the mean is too low (docs/statistics.md, Limits); the error of a difference is not.
 */
export const certaintyOfFigures = ({ metric }: Pick<PlottedGoal, 'metric'>, certainty: string): string =>
  metric === 'value' ? `${certainty} ${APPROXIMATE}` : certainty;

/** Whether verdicts and ranges are valid on every day, not only at the planned end. */
export const isForEveryDay = (method: Method): boolean => method === 'sequential' || method === 'planned';

/** Explains how to read a plot of the goal's metric. */
export const rateExplanation = ({ direction }: Pick<PlottedGoal, 'direction'>): string =>
  `Figures are cumulative.${direction === 'decrease' ? ' Lower is better.' : ''}`;

/** Explains how to read a plot of the change compared with the original. */
export function upliftExplanation(goal: PlottedGoal, series: readonly Series[]): string {
  const better = goal.direction === 'decrease' ? 'Below zero is better.' : 'Above zero is better.';
  // Only the last day is checked, because pages that load the plot as an image do not have data for the earlier days.
  const hasImpossible = series.some(({ points }) => isImpossible(goal, points.at(-1)?.interval ?? null));
  const rough = hasImpossible
    ? ' A conversion rate cannot fall by more than 100 %. A range that extends below −100 % is only approximate.'
    : '';
  return `Zero is the original. ${better} While a range includes zero, there may be no difference at all.${rough}`;
}

/** The parameters for an experiment's verdicts. */
interface Rule {
  method: Method;
  correction: ExperimentResults['correction'];
  /** As a fraction. */
  significance: number;
  /**
   * The number of comparisons between a variation and the original, over all goals. If there is a correction,
   * guardrails are not included.
   */
  comparisons: number;
  /** The number of comparisons for guardrails, which are corrected separately. */
  guardrails: number;
}

/**
 * The method for the experiment's verdicts; `sequential`, the default, if there is no goal. The `planned` method
 * applies even if some variations are not part of the plan, or are still undecided after its removal.
 */
export function methodOf({ goals }: Pick<ExperimentResults, 'goals'>): Method {
  const compared = goals.flatMap(({ variations }) => variations.filter(({ isOriginal }) => !isOriginal));
  const [first] = [...compared, ...(goals[0]?.variations ?? [])];
  return (
    (compared.find(({ statistics }) => statistics.method === 'planned') ?? first)?.statistics.method ??
    'sequential'
  );
}

/** Explains what the required confidence does and does not guarantee; null if there is no goal. */
export function certaintyWords({ goals, correction, significance }: ExperimentResults): string[] | null {
  if (goals.length === 0) {
    return null;
  }
  const method = methodOf({ goals });
  const guardrails = comparisonsIn(goals.filter(({ role }) => role === 'guardrail'));
  const isTogether = correction === 'none' || method === 'bayesian';
  const comparisons = comparisonsIn(goals) - (isTogether ? 0 : guardrails);
  const rule = { method, correction, significance, comparisons, guardrails: isTogether ? 0 : guardrails };
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
    `A verdict requires a probability of ${least} of being better than the original, or of ${least} of being worse.`,
    'This does not limit wrong verdicts when there is no difference; their number grows with every look.',
    ...(comparisons > 1 ? [manyWords(comparisons)] : []),
  ];
}

const manyWords = (comparisons: number): string =>
  `This holds for each comparison separately. With ${formatCount(comparisons)} comparisons here, wrong verdicts are more likely than with one.`;

/** The rate of false verdicts. */
const errorWords = (rule: Rule): string[] => [...goalWords(rule), ...guardrailWords(rule)];

const guardrailWords = ({ guardrails }: Rule): string[] =>
  guardrails === 0 ? [] : ['Guardrails are corrected separately, with the same limit.'];

function goalWords({ correction, significance, comparisons }: Rule): string[] {
  const experiments = `If there is no difference, ${atMost(significance, 'experiment')} would get a verdict of better or worse by chance`;
  if (comparisons <= 1) {
    return [`${experiments}.`];
  }
  const together = `all ${formatCount(comparisons)} comparisons of a variation with the original taken together`;
  if (correction === 'holm') {
    return [`${experiments}, ${together}.`];
  }
  if (correction === 'benjamini-hochberg') {
    return [
      `On average, at most ${formatCertainty(1 - significance)} of an experiment’s verdicts are wrong by chance, ${together}.`,
      'This limits the share of wrong verdicts, not the chance of getting one.',
    ];
  }
  return [
    `If there is no difference, ${atMost(significance, 'comparison')} of a variation with the original would get a verdict of better or worse by chance.`,
    manyWords(comparisons),
  ];
}

const lookWords = ({ method }: Rule): string[] =>
  method === 'frequentist' ? ['This is valid for one look, at the planned end.'] : [];

/** Explains the ranges of figures. */
export function rangeWords(results: ExperimentResults): string[] {
  const confidence = `${formatCertainty(results.significance)} confidence`;
  const [method, isCorrected] = [methodOf(results), hasCorrection(results)];
  return [
    ...PROMISES[method]({ confidence, isCorrected, hasLooks: hasLooks(results) }),
    ...(results.goals.some(({ metric }) => metric === 'value') ? [APPROXIMATE] : []),
    ...(isCorrected && (method === 'sequential' || method === 'frequentist') ? [UNCORRECTED] : []),
    'A wide range means that there are still few participants.',
    'A dash instead of a range means that the uncertainty is unknown, because there is too little data.',
  ];
}

/** Whether the correction can change verdicts. Guardrails are a family of their own. */
function hasCorrection({ goals, correction }: ExperimentResults): boolean {
  const guardrails = comparisonsIn(goals.filter(({ role }) => role === 'guardrail'));
  return correction !== 'none' && Math.max(guardrails, comparisonsIn(goals) - guardrails) > 1;
}

/** Whether the results have the looks of a plan. Filtered results have none. */
const hasLooks = ({ goals }: ExperimentResults): boolean =>
  goals.some(({ variations }) => variations.some(({ statistics }) => statistics.planned !== null));

const UNCORRECTED =
  'Each range is for one comparison; the verdicts account for all comparisons, so they can require more.';

const GATES = 'A verdict also requires the minimum runtime and the minimum conversions.';

const LOOKS =
  'The ranges of the difference and the change are from the latest daily look, or from the deciding look. They exclude zero if and only if the test is significant.';

const WITHOUT_LOOKS =
  'Filtered results have no looks and no verdict, so the ranges of the difference and the change are those of the sequential test.';

interface Promised {
  confidence: string;
  isCorrected: boolean;
  hasLooks: boolean;
}

const onceAtTheEnd = ({ confidence }: Promised): string[] => [
  `The range of a figure contains the true value with ${confidence} if you look once, at the planned end.`,
  GATES,
];

const PROMISES: Record<Method, (promised: Promised) => string[]> = {
  sequential: ({ confidence, isCorrected }) => [
    `Over all days together, the ranges of a figure contain the true value with ${confidence}, however often you look.`,
    ...(isCorrected
      ? []
      : ['The range of a difference excludes zero if and only if the sequential test is significant.']),
    GATES,
  ],
  planned: ({ confidence, isCorrected, hasLooks }) => [
    `Over all days together, the ranges of a figure contain the true value with ${confidence}.`,
    hasLooks ? LOOKS : WITHOUT_LOOKS,
    ...(hasLooks && isCorrected
      ? ['Like the verdicts, the ranges of the difference and the change account for all comparisons.']
      : []),
  ],
  frequentist: onceAtTheEnd,
  bayesian: onceAtTheEnd,
};

/** `at most 1 experiment in 20`, or a percentage if the second number would not be whole. */
function atMost(significance: number, thing: string): string {
  const oneIn = 1 / (1 - significance);
  const whole = Math.round(oneIn);
  return Math.abs(oneIn - whole) < whole * 1e-9
    ? `at most 1 ${thing} in ${formatCount(whole)}`
    : `at most ${formatCertainty(1 - significance)} of ${thing}s`;
}
