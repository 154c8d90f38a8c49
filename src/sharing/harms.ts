import { nameInSentence, plural, shortList } from '../presentation/text/words';
import type { GoalResults } from '../results/experiment-results';
import type { VariationStatistics } from '../statistics/result';

/** A guardrail and the variations that are worse on it. */
export interface Harm {
  guardrail: GoalResults;
  variations: VariationStatistics[];
}

type Judged = Pick<GoalResults, 'tripped'>;

/** Whether the variation is worse according to the project's method, or to the test that always runs for guardrails. */
const isWorse = ({ tripped }: Judged, { id, statistics }: VariationStatistics): boolean =>
  tripped.includes(id) || statistics.verdict === 'loser';

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

/** `the guardrail A, B, C and 2 other goals` */
export function lossNames(goals: readonly Pick<GoalResults, 'name' | 'role'>[]): string {
  // Guardrails come first, so they are named, not just counted.
  const ordered = [...goals].sort((a, b) => Number(b.role === 'guardrail') - Number(a.role === 'guardrail'));
  const names = ordered.map(({ name, role }) =>
    role === 'guardrail' ? `the guardrail ${nameInSentence(name)}` : nameInSentence(name),
  );
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
