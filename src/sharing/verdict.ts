import { nameInSentence } from '../presentation/text/names';
import { listed, plural, roughDays } from '../presentation/text/words';
import type { GoalResults } from '../results/experiment-results';
import type { VariationStatistics } from '../statistics/result';
import { comparison, improvement, missingComparison } from './comparison';

/** How good the news is; decides colour and sign. */
export type Tone = 'better' | 'worse' | 'waiting' | 'nothing' | 'doubt';

/** The verdict about one goal, for somebody who decides and does not calculate. */
export interface VerdictText {
  tone: Tone;
  /** In two or three words. */
  label: string;
  headline: string;
  /** Sentences that tell more. */
  details: string[];
  /** How far the way to a certain result is, where that can be said. */
  progress: { daysRunning: number; daysLeft: number } | null;
}

/** What the verdict depends on besides the goal. */
export interface VerdictContext {
  status: string;
  /** Are the figures those of all days until now, so that a forecast makes sense? */
  isWholeTime: boolean;
  isSampleRatioMismatch: boolean;
}

interface Field {
  goal: GoalResults;
  original: VariationStatistics;
  others: VariationStatistics[];
  context: VerdictContext;
}

const MAX_NAMES = 3;

/** Says in words how a goal stands. */
export function verdictText(goal: GoalResults, context: VerdictContext): VerdictText {
  const found = judge(goal, context);
  return context.isSampleRatioMismatch && found.tone !== 'nothing' ? doubted(found) : found;
}

function judge(goal: GoalResults, context: VerdictContext): VerdictText {
  const original = goal.variations.find(({ isOriginal }) => isOriginal);
  const others = goal.variations.filter(({ isOriginal }) => !isOriginal);
  if (goal.variations.every(({ participants }) => participants === 0)) {
    return nothing('No participants', 'Nobody took part in what is selected here.');
  }
  if (original === undefined) {
    return nothing('No comparison', 'No variation is the original, so there is nothing to compare with.');
  }
  if (others.length === 0) {
    return nothing('No comparison', 'There is only one variation, so there is nothing to compare.');
  }
  return compare({ goal, original, others, context });
}

function compare(field: Field): VerdictText {
  const { goal, original, others } = field;
  const best = foremost(goal);
  if (best?.statistics.verdict === 'winner') {
    return won(field, best);
  }
  if (best?.statistics.verdict === 'inconclusive') {
    return undecided(field, best);
  }
  const name = nameInSentence(original.name);
  const headline =
    others.length === 1 && best !== undefined
      ? `${name} stays: ${nameInSentence(best.name)} is worse`
      : `${name} stays: ${others.length === 2 ? 'both' : `all ${others.length}`} other variations are worse`;
  const details = best === undefined ? [] : [comparison(goal, best, original)];
  return { tone: 'worse', label: 'Keep the original', headline, details, progress: null };
}

/** The variation that the verdict is about: the best of those that are better, or else not decided, or else worse. */
export function foremost(goal: GoalResults): VariationStatistics | undefined {
  const others = goal.variations.filter(({ isOriginal }) => !isOriginal);
  const standings = ['winner', 'inconclusive', 'loser'] as const;
  return standings.flatMap((verdict) => ranked(goal, withVerdict(others, verdict)))[0];
}

function won(field: Field, best: VariationStatistics): VerdictText {
  const { goal, original, others } = field;
  const rivals = withVerdict(others, 'winner').filter(({ id }) => id !== best.id);
  const lead =
    rivals.length === 0
      ? []
      : [
          `${names(rivals)} ${are(rivals)} better than the original too; which of them is best is not decided.`,
        ];
  return {
    tone: 'better',
    label: 'Better',
    headline: `${nameInSentence(best.name)} is better`,
    details: [comparison(goal, best, original), ...lead, ...losersLine(others)],
    progress: null,
  };
}

function undecided(field: Field, best: VariationStatistics): VerdictText {
  const { goal, original, others } = field;
  const gain = improvement(goal, best);
  if (gain === null) {
    return {
      tone: 'waiting',
      label: 'Not comparable yet',
      headline: 'Cannot be compared yet',
      details: [missingComparison(best), ...losersLine(others)],
      progress: null,
    };
  }
  const { text, details, progress } = outlook(field, best);
  return {
    tone: 'waiting',
    label: 'Not certain yet',
    headline: `${standing(field, best, gain)}${text}`,
    details: [comparison(goal, best, original), ...details, ...losersLine(others)],
    progress,
  };
}

/** Who is ahead, as far as one can tell. */
function standing({ original, others }: Field, best: VariationStatistics, gain: number): string {
  const [name, originalName] = [nameInSentence(best.name), nameInSentence(original.name)];
  if (gain === 0) {
    return others.length === 1
      ? `No difference so far between ${name} and ${originalName}`
      : `No variation is ahead of ${originalName}`;
  }
  if (gain > 0) {
    return `${name} is ahead, not yet certain`;
  }
  return others.length === 1
    ? `${name} is behind, not yet certain`
    : `No variation is ahead of ${originalName}, not yet certain`;
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

/** How it goes on: a forecast while the experiment runs, and what else the decision waits for. */
function outlook({ context }: Field, { duration }: VariationStatistics): Outlook {
  const { daysLeft, daysRunning } = duration;
  if (!context.isWholeTime) {
    return { text: ' in the time selected here', details: [], progress: null };
  }
  if (context.status !== 'running') {
    const text = `: ${NOT_RUNNING[context.status] ?? 'the experiment is not running'}`;
    const needed = daysLeft === null ? [] : [`It would have to run for ${roughDays(daysLeft)} more.`];
    return { text, details: context.status === 'archive' ? [] : needed, progress: null };
  }
  const details = gates(duration);
  return daysLeft === null
    ? { text: ': cannot say how long yet', details, progress: null }
    : { text: `: ${roughDays(daysLeft)} to go`, details, progress: { daysRunning, daysLeft } };
}

function gates({ minRuntimeReached, minConversionsReached }: VariationStatistics['duration']): string[] {
  return [
    ...(minRuntimeReached ? [] : ['It has not run for its minimum time yet.']),
    ...(minConversionsReached ? [] : ['It does not have the minimum of conversions in each variation yet.']),
  ];
}

function losersLine(others: readonly VariationStatistics[]): string[] {
  const losers = withVerdict(others, 'loser');
  return losers.length === 0 ? [] : [`${names(losers)} ${are(losers)} worse than the original.`];
}

/** The figures are shown, but nobody should act on them. */
function doubted({ headline, details }: VerdictText): VerdictText {
  return {
    tone: 'doubt',
    label: 'Do not trust',
    headline: 'This result cannot be trusted',
    details: [`As counted: ${headline}.`, ...details],
    progress: null,
  };
}

function nothing(label: string, headline: string): VerdictText {
  return { tone: 'nothing', label, headline: headline.replace(/\.$/, ''), details: [], progress: null };
}

const withVerdict = (
  variations: readonly VariationStatistics[],
  verdict: VariationStatistics['statistics']['verdict'],
): VariationStatistics[] => variations.filter(({ statistics }) => statistics.verdict === verdict);

/** The best first; what cannot be compared last. */
function ranked(goal: GoalResults, variations: readonly VariationStatistics[]): VariationStatistics[] {
  const gain = (variation: VariationStatistics): number => improvement(goal, variation) ?? -Infinity;
  return [...variations].sort((a, b) => (gain(a) === gain(b) ? 0 : gain(b) - gain(a)));
}

const are = (variations: readonly unknown[]): string => (variations.length === 1 ? 'is' : 'are');

function names(variations: readonly VariationStatistics[]): string {
  const all = variations.map(({ name }) => nameInSentence(name));
  const rest = all.length - MAX_NAMES;
  return listed(rest > 1 ? [...all.slice(0, MAX_NAMES), plural(rest, 'other')] : all);
}
