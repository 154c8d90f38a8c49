import type { GoalResults, PlannedLook } from '../results/experiment-results';
import type { VariationStatistics } from '../statistics/result';
import { laterLooks, lookNote, plannedLookWords, significanceWords } from './gates';
import type { VerdictContext, VerdictText } from './verdict-text';

interface Details {
  /** The comparison with the original. */
  compared: string;
  /** What else is known, apart from the variation that the text is about. */
  rest: readonly string[];
}

/** The label of a verdict text if nothing is awaited because variations have been stopped; see `isStopped`. */
export const STOPPED = 'Stopped';

export function stoppedText(best: VariationStatistics, { compared, rest }: Details): VerdictText {
  return {
    tone: 'nothing',
    label: STOPPED,
    headline: 'Stopped without a verdict',
    details: [compared, ...significanceWords(best), ...rest],
    progress: null,
  };
}

/** The label of a verdict text that waits for the only look of a plan. */
export const BEFORE_LOOK = 'Before the planned end';

/**
 * A result that would be significant, but not at the only look of the plan; see `lookToCome`.
 * @param lead the variation that is ahead, as a sentence
 */
export function beforeLook(
  lead: string,
  { duration: { daysRunning } }: VariationStatistics,
  { compared, rest, look, context }: Details & { look: PlannedLook; context: VerdictContext },
): VerdictText {
  const isRunning = context.status === 'running' && context.isWholeTime;
  const hasEnded = context.status === 'archive';
  return {
    tone: 'waiting',
    label: BEFORE_LOOK,
    headline: hasEnded
      ? `${lead}, but the experiment ended before its planned end`
      : `${lead}. Decide ${plannedLookWords(look)}`,
    details: [compared, ...rest],
    progress: isRunning && look.daysLeft !== null ? { daysRunning, daysLeft: look.daysLeft } : null,
  };
}

/**
 * After the end of a plan, there is nothing to wait for; see `isPlanOver`. Only the `planned` method keeps the state at
 * the planned end.
 */
export function planOver(
  goal: Pick<GoalResults, 'gates'>,
  best: VariationStatistics,
  { compared, rest }: Details,
): VerdictText {
  const { planned } = best.statistics;
  return {
    tone: 'nothing',
    label: 'No verdict',
    headline: planned === null ? 'Not certain after the end of the plan' : 'Not certain at the planned end',
    details: [compared, ...lookNote(planned), ...laterLooks(goal, best), ...significanceWords(best), ...rest],
    progress: null,
  };
}
