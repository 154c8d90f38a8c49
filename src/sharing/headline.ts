import { nameInSentence } from '../presentation/text/words';
import type { GoalResults } from '../results/experiment-results';
import type { VariationStatistics, Verdict } from '../statistics/result';
import { improvement } from './comparison';
import { endedWithoutLook, isOpen, WITHOUT_LOOK } from './gates';
import { type Harm, harmlessWords, harmsIn, harmWords, lossesOf, lossNames } from './harms';
import { foremost, leftOut, variationVerdict, winnersOf } from './verdict';
import type { Tone, VerdictText } from './verdict-text';
import { STOPPED } from './without-verdict';

/** The experiment's result as text, with the decision to make. */
export interface Headline extends VerdictText {
  /** The goal of the headline. */
  goal: string;
  /** Sentences about guardrails on which variations are worse. */
  harms: string[];
  /** What to do; null if there is nothing to decide, or a decision is recorded. */
  decision: string | null;
}

/** The context of a decision. */
export interface DecisionContext {
  status: string;
  /** Whether only some participants are shown. */
  isFiltered: boolean;
  /** Whether the team has recorded its decision, which can differ from what the results suggest. */
  isDecided: boolean;
}

/** The headline for an experiment, based on its primary goal; null if there is no goal. */
export function headlineOf(goals: readonly JudgedGoal[], context: DecisionContext): Headline | null {
  const [primary, ...rest] = orderedGoals(goals);
  if (primary === undefined || primary.goal.role === 'guardrail') {
    return null;
  }
  const { goal, verdict } = primary;
  const others = rest.map((judged) => judged.goal);
  const harms = harmsIn(others);
  return {
    ...verdict,
    goal: goal.name,
    harms: harms.map(harmWords),
    decision: context.isDecided ? null : decisionOf(goal, verdict, { others, harms, ...context }),
  };
}

interface Situation extends DecisionContext {
  others: readonly GoalResults[];
  harms: readonly Harm[];
}

function decisionOf(goal: GoalResults, { tone, label }: VerdictText, situation: Situation): string | null {
  const { status, isFiltered, harms } = situation;
  if (isFiltered && (tone !== 'nothing' || label === STOPPED)) {
    return 'This covers only some of the participants. Clear the filter before you decide.';
  }
  const isOver = status === 'archive';
  const original = nameInSentence(goal.variations.find(({ isOriginal }) => isOriginal)?.name ?? '');
  switch (tone) {
    case 'better':
      return shipWords(goal, situation);
    case 'worse':
      return `${keepWords(original, isOver)}.`;
    case 'doubt':
      return 'Do not decide on this result. Fix the cause, then clone the experiment and start the clone.';
    case 'waiting':
      return (harms.length > 0 ? HARMED[status] : undefined) ?? WAITING[status] ?? null;
    case 'nothing':
      return label === STOPPED ? stoppedWords(original, situation) : endWords(goal, label, original, isOver);
  }
}

const WAITING: Readonly<Record<string, string>> = {
  running: 'Nothing to decide yet: keep the experiment running.',
  preview: 'Nothing to decide yet.',
  pause: 'Nothing to decide yet: resume the experiment, or end it without a result.',
  archive: 'The experiment ended without a result. Keep the original, or run a clone for longer.',
};

/** The decision for each experiment status if there is no result but variations are worse on guardrails. */
const HARMED: Readonly<Record<string, string>> = {
  running: 'Pause the experiment, or keep it running if you accept this loss.',
  pause: 'End the experiment, or resume it if you accept this loss.',
  archive: 'The experiment ended without a result. Keep the original.',
};

const keepWords = (original: string, isOver: boolean): string =>
  isOver ? `Keep ${original}` : `End the experiment and keep ${original}`;

/** The decision if nothing is awaited, because variations have been stopped. */
const stoppedWords = (original: string, { harms }: Situation): string =>
  harms.length > 0
    ? `${keepWords(original, false)}.`
    : `${keepWords(original, false)}, or give the stopped variations traffic again.`;

/** The decision for a plan that ended without a verdict; null if there is nothing to compare. */
function endWords(goal: GoalResults, label: string, original: string, isOver: boolean): string | null {
  if (label !== 'No verdict') {
    return null;
  }
  const keep = keepWords(original, isOver);
  const planned = foremost(goal)?.statistics.planned ?? null;
  if (planned === null) {
    return `${keep}: the plan is over without a verdict.`;
  }
  return endedWithoutLook(planned)
    ? `${keep}, or run a clone for longer: ${WITHOUT_LOOK}.`
    : `${keep}: no difference was found.`;
}

/** A winner on the primary goal may be worse on other goals. */
function shipWords(goal: GoalResults, { others, status }: Situation): string {
  const [best, ...otherWinners] = winnersOf(goal);
  const name = nameInSentence(best.name);
  const losses = lossesOf(others, best.id);
  if (losses.length > 0) {
    const text = `Decide whether the gain is worth the loss: ${name} is worse on ${lossNames(losses)}.`;
    return `${text} ${harmlessWords(others, otherWinners)}`.trimEnd();
  }
  return status === 'archive'
    ? `Roll out ${name} to all visitors.`
    : `End the experiment and roll out ${name} to all visitors.`;
}

/** A goal with its verdict as text. */
export interface JudgedGoal {
  goal: GoalResults;
  verdict: VerdictText;
}

const TONES: readonly Tone[] = ['better', 'worse', 'doubt', 'waiting', 'nothing'];
const VERDICTS: readonly Verdict[] = ['winner', 'untrustworthy', 'inconclusive', 'loser'];

/**
 * The primary goal, then goals with a decision, then all other goals; each group is sorted by the size of the change,
 * largest first. Guardrails are last.
 */
export function orderedGoals<G extends JudgedGoal>([primary, ...others]: readonly G[]): G[] {
  const tone = ({ verdict }: G): number => TONES.indexOf(verdict.tone);
  const guards = ({ goal }: G): number => Number(goal.role === 'guardrail');
  const sorted = [...others].sort(
    (a, b) => guards(a) - guards(b) || tone(a) - tone(b) || largest(b.goal) - largest(a.goal),
  );
  return primary === undefined ? [] : [primary, ...sorted];
}

/** The size of a goal's largest relative change. */
function largest({ variations }: GoalResults): number {
  return Math.max(0, ...variations.map(({ uplift }) => Math.abs(uplift ?? 0)));
}

/**
 * The variations that are compared with the original, best first, and in their own order as long as it is too early for
 * a verdict. All variations if there is no original.
 */
export function orderedVariations(goal: GoalResults): VariationStatistics[] {
  const { variations } = goal;
  const compared = variations.filter(({ isOriginal }) => !isOriginal);
  if (compared.length === 0 || compared.length === variations.length) {
    return [...variations];
  }
  const verdict = (one: VariationStatistics): number => VERDICTS.indexOf(variationVerdict(goal, one));
  const gain = (one: VariationStatistics): number =>
    (isOpen(one.duration) ? improvement(goal, one) : null) ?? Number.NEGATIVE_INFINITY;
  return compared.sort(
    (a, b) =>
      leftOut(goal, a) - leftOut(goal, b) ||
      verdict(a) - verdict(b) ||
      (gain(a) === gain(b) ? 0 : gain(b) - gain(a)),
  );
}
