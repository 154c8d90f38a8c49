import { nameInSentence, plural, roughDays, shortList } from '../presentation/text/words';
import type { GoalResults } from '../results/experiment-results';
import type { VariationStatistics, Verdict } from '../statistics/result';
import { comparison, improvement, missingComparison, strataNote } from './comparison';
import { isOpen, isPlanOver, missingGates, significanceWords } from './gates';

/**
 * The verdict on a variation for one goal. A variation that trips a guardrail counts as a loser, even while its own
 * verdict is inconclusive.
 */
export const variationVerdict = (
  { tripped }: Pick<GoalResults, 'tripped'>,
  { id, statistics: { verdict } }: Pick<VariationStatistics, 'id' | 'statistics'>,
): Verdict => (verdict === 'inconclusive' && tripped.includes(id) ? 'loser' : verdict);

/** The tone of a verdict, which determines its colour and icon. */
export type Tone = 'better' | 'worse' | 'waiting' | 'nothing' | 'doubt';

/** The verdict for one goal as text, for decision makers. */
export interface VerdictText {
  tone: Tone;
  /** The verdict in one to three words. */
  label: string;
  headline: string;
  /** Further sentences. */
  details: string[];
  /** The progress towards a conclusive result, if there is a forecast. */
  progress: { daysRunning: number; daysLeft: number } | null;
}

/** The context of a verdict, in addition to the goal. */
export interface VerdictContext {
  status: string;
  /** Whether the figures cover all days, which a forecast needs. */
  isWholeTime: boolean;
}

interface Field {
  goal: GoalResults;
  original: VariationStatistics;
  others: VariationStatistics[];
  context: VerdictContext;
}

/** The verdict for a goal as text. */
export function verdictText(goal: GoalResults, context: VerdictContext): VerdictText {
  const original = goal.variations.find(({ isOriginal }) => isOriginal);
  const others = goal.variations.filter(({ isOriginal }) => !isOriginal);
  if (goal.variations.every(({ participants }) => participants === 0)) {
    return nothing('No participants', 'No participants match the filter.');
  }
  if (original === undefined) {
    return nothing('No comparison', 'There is no original to compare with.');
  }
  if (others.length === 0) {
    return nothing('No comparison', 'There is only one variation.');
  }
  return compare({ goal, original, others, context });
}

function compare(field: Field): VerdictText {
  const { goal, original, others } = field;
  const best = foremost(goal);
  const verdict = best && variationVerdict(goal, best);
  if (best !== undefined && verdict === 'winner') {
    return won(field, best);
  }
  if (best !== undefined && verdict === 'inconclusive') {
    return undecided(field, best);
  }
  if (best !== undefined && verdict === 'untrustworthy') {
    return distrusted([comparison(goal, best, original)]);
  }
  const name = nameInSentence(original.name);
  const headline =
    others.length === 1 && best !== undefined
      ? `${name} stays: ${nameInSentence(best.name)} is worse`
      : `${name} stays: ${others.length === 2 ? 'both' : `all ${others.length}`} other variations are worse`;
  const details = best === undefined ? [] : [comparison(goal, best, original)];
  return { tone: 'worse', label: 'Keep the original', headline, details, progress: null };
}

/**
 * The variation that the verdict is about. This is the best variation in the first of these groups that is not empty:
 * untrustworthy variations, winners, undecided variations, losers.
 */
export function foremost(goal: GoalResults): VariationStatistics | undefined {
  const order = ['untrustworthy', 'winner', 'inconclusive', 'loser'] as const;
  return order.flatMap((verdict) => rankedWith(goal, verdict))[0];
}

/** The variations that are better than the original, best first. */
export const winnersOf = (goal: GoalResults): VariationStatistics[] => rankedWith(goal, 'winner');

/** The variations other than the original with a verdict, best first. */
function rankedWith(goal: GoalResults, verdict: Verdict): VariationStatistics[] {
  const others = goal.variations.filter(({ isOriginal }) => !isOriginal);
  return ranked(goal, withVerdict(goal, others, verdict));
}

function won(field: Field, best: VariationStatistics): VerdictText {
  const { goal, original, others } = field;
  const rivals = withVerdict(goal, others, 'winner').filter(({ id }) => id !== best.id);
  const lead =
    rivals.length === 0
      ? []
      : [
          `${names(rivals)} ${are(rivals)} also better than the original. It is not yet clear which of them is best.`,
        ];
  return {
    tone: 'better',
    label: 'Better',
    headline: `${nameInSentence(best.name)} is better`,
    details: [comparison(goal, best, original), ...lead, ...losersLine(field)],
    progress: null,
  };
}

function undecided(field: Field, best: VariationStatistics): VerdictText {
  const { goal, original } = field;
  const gain = improvement(goal, best);
  if (isPlanOver(goal, best)) {
    return planOver(field, best);
  }
  if (gain === null) {
    return {
      tone: 'waiting',
      label: 'Not comparable yet',
      headline: 'Cannot be compared yet',
      details: [missingComparison(best), ...losersLine(field)],
      progress: null,
    };
  }
  const { text, details, progress } = outlook(field, best);
  const limits = [...details, ...losersLine(field)];
  const compared = [comparison(goal, best, original), ...limits];
  if (!isOpen(best.duration)) {
    const told = [...strataNote(goal, best, original), ...limits];
    return { ...tooEarly(field, best), details: told, progress };
  }
  return {
    tone: 'waiting',
    label: 'Not certain yet',
    headline: `${leadText(field, best, gain)}${text}`,
    details: compared,
    progress,
  };
}

/** After the end of a plan, there is nothing to wait for; see `isPlanOver`. */
function planOver(field: Field, best: VariationStatistics): VerdictText {
  const { goal, original } = field;
  return {
    tone: 'nothing',
    label: 'No verdict',
    headline: 'Not certain at the planned end',
    details: [comparison(goal, best, original), ...significanceWords(best), ...losersLine(field)],
    progress: null,
  };
}

/**
 * Before the minimum runtime and the minimum conversions are reached, there is no verdict, and the text does not
 * mention which variation is ahead.
 */
function tooEarly(
  { goal, context }: Field,
  { id, duration }: VariationStatistics,
): Pick<VerdictText, 'tone' | 'label' | 'headline'> {
  const hasEnded = context.isWholeTime && context.status === 'archive';
  const gates = goal.gates.get(id);
  const missing = gates === undefined ? 'the minimum is not reached' : missingGates(gates, duration);
  const where = context.isWholeTime ? '' : ' in the selected period';
  return {
    tone: 'waiting',
    label: hasEnded ? 'Too little data' : 'Too early',
    headline: `${hasEnded ? 'Ended too early' : 'Too early to say'}: ${missing}${where}`,
  };
}

/** The leading variation, as a headline. */
function leadText({ original, others }: Field, best: VariationStatistics, gain: number): string {
  const [name, originalName] = [nameInSentence(best.name), nameInSentence(original.name)];
  if (gain === 0) {
    return others.length === 1
      ? `No difference so far between ${name} and ${originalName}`
      : `No variation is ahead of ${originalName}`;
  }
  if (gain > 0) {
    return `${name} is ahead, but this is not yet certain`;
  }
  return others.length === 1
    ? `${name} is behind, but this is not yet certain`
    : `No variation is ahead of ${originalName}, but this is not yet certain`;
}

interface Outlook {
  text: string;
  details: string[];
  progress: VerdictText['progress'];
}

const NOT_RUNNING: Readonly<Record<string, string>> = {
  pause: 'the experiment is paused',
  archive: 'the experiment has ended',
};

/** The forecast for a running experiment, and the missing requirements for a decision. */
function outlook({ context }: Field, variation: VariationStatistics): Outlook {
  const { daysLeft, daysRunning } = variation.duration;
  const details = significanceWords(variation);
  if (!context.isWholeTime) {
    return { text: ' in the selected period', details, progress: null };
  }
  if (context.status !== 'running') {
    const text = `: ${NOT_RUNNING[context.status] ?? 'the experiment is not running'}`;
    const isNeeded = context.status !== 'archive' && daysLeft !== null;
    const needed = isNeeded ? [`The experiment needs to run ${roughDays(daysLeft)} longer.`] : [];
    return { text, details: [...details, ...needed], progress: null };
  }
  return daysLeft === null
    ? { text: ': no forecast yet', details, progress: null }
    : { text: `: ${roughDays(daysLeft)} to go`, details, progress: { daysRunning, daysLeft } };
}

function losersLine({ goal, others }: Field): string[] {
  const losers = withVerdict(goal, others, 'loser');
  return losers.length === 0 ? [] : [`${names(losers)} ${are(losers)} worse than the original.`];
}

/** The figures are shown, but must not be used for decisions. */
function distrusted(details: string[]): VerdictText {
  return {
    tone: 'doubt',
    label: 'Do not trust',
    headline: 'This result cannot be trusted',
    details,
    progress: null,
  };
}

function nothing(label: string, headline: string): VerdictText {
  return { tone: 'nothing', label, headline: headline.replace(/\.$/, ''), details: [], progress: null };
}

const withVerdict = (
  goal: GoalResults,
  variations: readonly VariationStatistics[],
  verdict: Verdict,
): VariationStatistics[] => variations.filter((one) => variationVerdict(goal, one) === verdict);

/** Sorted from best to worst; variations without a comparison come last. */
function ranked(goal: GoalResults, variations: readonly VariationStatistics[]): VariationStatistics[] {
  const gain = (variation: VariationStatistics): number => improvement(goal, variation) ?? -Infinity;
  return [...variations].sort((a, b) => (gain(a) === gain(b) ? 0 : gain(b) - gain(a)));
}

const are = (variations: readonly unknown[]): string => (variations.length === 1 ? 'is' : 'are');

const names = (variations: readonly VariationStatistics[]): string =>
  shortList(
    variations.map(({ name }) => nameInSentence(name)),
    (rest) => plural(rest, 'other'),
  );
