import { nameInSentence, plural, shortList } from '../presentation/text/words';
import type { GoalResults } from '../results/experiment-results';
import type { VariationStatistics } from '../statistics/result';
import { type Judged, variationVerdict } from './verdict';

/** A guardrail and the variations that are worse on it. */
export interface Harm {
  guardrail: GoalResults;
  variations: VariationStatistics[];
}

/**
 * Whether the variation is worse according to the project's method, or to the test that always runs for guardrails.
 * Nothing is known about a variation whose figures cannot be trusted.
 */
const isWorse = (goal: Judged, variation: VariationStatistics): boolean =>
  variationVerdict(goal, variation) === 'loser' ||
  (goal.tripped.includes(variation.id) && variation.statistics.verdict !== 'untrustworthy');

/** The guardrails on which variations are worse than the original. */
export const harmsIn = (goals: readonly GoalResults[]): Harm[] =>
  goals
    .filter(({ role }) => role === 'guardrail')
    .map((guardrail) => ({
      guardrail,
      variations: guardrail.variations.filter((variation) => isWorse(guardrail, variation)),
    }))
    .filter(({ variations }) => variations.length > 0);

/** The goals and guardrails on which a variation is worse than the original. */
export const lossesOf = (goals: readonly GoalResults[], variationId: number): GoalResults[] =>
  goals.filter((goal) => goal.variations.some((one) => one.id === variationId && isWorse(goal, one)));

/** `the guardrail A, the goal B, the goal C and 2 other goals`, or only names if none of them is a guardrail. */
export function lossNames(goals: readonly Pick<GoalResults, 'name' | 'role'>[]): string {
  // Guardrails come first, so they are named, not just counted.
  const ordered = [...goals].sort((a, b) => Number(b.role === 'guardrail') - Number(a.role === 'guardrail'));
  const hasGuardrail = goals.some(({ role }) => role === 'guardrail');
  const names = ordered.map(({ name, role }) => {
    const kind = role === 'guardrail' ? 'the guardrail ' : hasGuardrail ? 'the goal ' : '';
    return `${kind}${nameInSentence(name)}`;
  });
  return shortList(names, (rest) => plural(rest, 'other goal'));
}

/** `B and C are worse on the guardrail A.` */
export const harmWords = ({ guardrail, variations }: Harm): string =>
  `${subject(variations)} worse on ${lossNames([guardrail])}.`;

/** `C and D are also better, without a known loss.`; empty if each of the other winners is worse on a goal. */
export function harmlessWords(
  goals: readonly GoalResults[],
  otherWinners: readonly VariationStatistics[],
): string {
  const harmless = otherWinners.filter(({ id }) => lossesOf(goals, id).length === 0);
  return harmless.length === 0 ? '' : `${subject(harmless)} also better, without a known loss.`;
}

/** `B and C are` */
function subject(variations: readonly VariationStatistics[]): string {
  const names = variations.map(({ name }) => nameInSentence(name));
  return `${shortList(names, (rest) => plural(rest, 'other'))} ${names.length === 1 ? 'is' : 'are'}`;
}
