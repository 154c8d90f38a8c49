import { nameInSentence, plural, roughDays, shortList } from '../presentation/text/words';
import type { GoalResults } from '../results/experiment-results';
import type { VariationStatistics, Verdict } from '../statistics/result';
import { comparison, improvement, missingComparison, strataNote } from './comparison';
import {
  decisiveWords,
  isOpen,
  isPlanOver,
  isStopped,
  laterLooks,
  lookToCome,
  missingGates,
  significanceWords,
} from './gates';
import type { VerdictContext, VerdictText } from './verdict-text';
import { beforeLook, planOver, stoppedText } from './without-verdict';

/** The fields of a goal that determine the verdicts on its variations. */
export type Judged = Pick<GoalResults, 'role' | 'tripped' | 'gates'>;

/**
 * The verdict on a variation for one goal. A variation that trips a guardrail counts as a loser, even while its own
 * verdict is inconclusive. Before the only look of a plan, there is no verdict yet, but guardrails report harm at once.
 */
export function variationVerdict(
  goal: Judged,
  variation: Pick<VariationStatistics, 'id' | 'statistics'>,
): Verdict {
  const { verdict } = variation.statistics;
  const isHarm = verdict === 'loser' && goal.role === 'guardrail';
  const own = lookToCome(goal, variation) !== null && !isHarm ? 'inconclusive' : verdict;
  return own === 'inconclusive' && goal.tripped.includes(variation.id) ? 'loser' : own;
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
  const { goal, original } = field;
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
  const compared =
    best === undefined
      ? []
      : [comparison(goal, best, original), ...decisiveWords(best), ...furtherLooks(goal, best)];
  return {
    tone: 'worse',
    label: 'Keep the original',
    headline: `${name} stays: ${worseWords(field)}`,
    details: [...compared, ...absentLine(goal), ...stoppedLine(field)],
    progress: null,
  };
}

/** A tripped guardrail is judged by a test that is valid on every day. */
const furtherLooks = (goal: GoalResults, best: VariationStatistics): string[] =>
  best.statistics.verdict === 'loser' ? laterLooks(goal, best) : [];

function worseWords({ goal, others }: Field): string {
  const losers = withVerdict(goal, others, 'loser');
  if (losers.length === 1 || losers.length < others.length) {
    return `${names(losers)} ${are(losers)} worse`;
  }
  return `${others.length === 2 ? 'both' : `all ${others.length}`} other variations are worse`;
}

function absentLine(goal: GoalResults): string[] {
  const absent = goal.variations.filter((one) => isAbsent(goal, one));
  return absent.length === 0
    ? []
    : [`${names(absent)} ${absent.length === 1 ? 'has' : 'have'} no participants.`];
}

/**
 * The variation that the verdict is about. This is the best variation in the first of these groups that is not empty:
 * untrustworthy variations, winners, undecided variations, losers, variations that were stopped without a verdict,
 * variations without any participants.
 */
export function foremost(goal: GoalResults): VariationStatistics | undefined {
  const order = ['untrustworthy', 'winner', 'inconclusive', 'loser'] as const;
  const found = order.flatMap((verdict) => rankedWith(goal, verdict));
  return [...found].sort((a, b) => leftOut(goal, a) - leftOut(goal, b))[0];
}

/** Greater for variations that are not awaited: 1 if they were stopped without a verdict, 2 without participants. */
export function leftOut(goal: Judged, variation: VariationStatistics): number {
  return isAbsent(goal, variation) ? 2 : Number(!variation.isOriginal && isStopped(goal, variation));
}

/** Whether a variation has no participants and no traffic, so that there is nothing to wait for. */
export const isAbsent = (
  { gates }: Pick<GoalResults, 'gates'>,
  { id, isOriginal, participants }: Pick<VariationStatistics, 'id' | 'isOriginal' | 'participants'>,
): boolean => !isOriginal && participants === 0 && gates.get(id)?.intake !== 'open';

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
    details: [
      comparison(goal, best, original),
      ...decisiveWords(best),
      ...laterLooks(goal, best),
      ...lead,
      ...restLines(field),
    ],
    progress: null,
  };
}

function undecided(field: Field, best: VariationStatistics): VerdictText {
  const { goal, original } = field;
  const gain = improvement(goal, best);
  const compared = comparison(goal, best, original);
  const rest = restLines(field);
  if (isPlanOver(goal, best)) {
    return planOver(goal, best, { compared, rest });
  }
  if (isStopped(goal, best)) {
    return stoppedText(best, { compared, rest: losersLine(field) });
  }
  if (gain === null) {
    return {
      tone: 'waiting',
      label: 'Not comparable yet',
      headline: 'Cannot be compared yet',
      details: [missingComparison(goal, best), ...rest],
      progress: null,
    };
  }
  const look = lookToCome(goal, best);
  if (look !== null) {
    return beforeLook(leader(field, gain, best), best, { compared, rest, look, context: field.context });
  }
  const { text, details, progress } = outlook(field, best);
  const limits = [...details, ...rest];
  if (!isOpen(best.duration)) {
    const told = [...strataNote(goal, best, original), ...limits];
    return { ...tooEarly(field, best), details: told, progress };
  }
  return {
    tone: 'waiting',
    label: 'Not certain yet',
    headline: `${leadText(field, best, gain)}${text}`,
    details: [compared, ...limits],
    progress,
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
function leadText(field: Field, best: VariationStatistics, gain: number): string {
  const lead = leader(field, gain, best);
  return gain === 0 ? lead : `${lead}, but this is not yet certain`;
}

/** `B is ahead` */
function leader({ original, others }: Field, gain: number, best: VariationStatistics): string {
  const [name, originalName] = [nameInSentence(best.name), nameInSentence(original.name)];
  if (gain > 0) {
    return `${name} is ahead`;
  }
  if (others.length > 1) {
    return `No variation is ahead of ${originalName}`;
  }
  return gain === 0 ? `No difference so far between ${name} and ${originalName}` : `${name} is behind`;
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

/** What else is known, apart from the variation that the verdict is about. */
const restLines = (field: Field): string[] => [...losersLine(field), ...stoppedLine(field)];

function losersLine({ goal, others }: Field): string[] {
  const losers = withVerdict(goal, others, 'loser');
  return losers.length === 0 ? [] : [`${names(losers)} ${are(losers)} worse than the original.`];
}

function stoppedLine({ goal, others }: Field): string[] {
  const stopped = others.filter((one) => leftOut(goal, one) === 1);
  return stopped.length === 0 ? [] : [`Traffic stopped before there was a verdict on ${names(stopped)}.`];
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
