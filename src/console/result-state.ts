import { DAY_MICROS, type Micros, SECOND_MICROS } from '../common/time/clock';
import { type ExperimentResults, type GoalResults, primaryOf } from '../results/experiment-results';
import { harmlessWords, harmsIn, harmWords, lossesOf, lossNames } from '../sharing/harms';
import { verdictText, winnersOf } from '../sharing/verdict';
import { BEFORE_LOOK, STOPPED } from '../sharing/without-verdict';

/** The state of an experiment's results, to determine the next steps. */
export type ResultState =
  | { kind: 'no data'; isLate: boolean }
  | { kind: 'silent'; lastEventAt: Micros }
  | { kind: 'mismatch' }
  /**
   * `losses` names the goals and guardrails on which the winner is worse, and `harmless` is a sentence about winners
   * without losses, to choose instead; both are empty if there are none.
   */
  | { kind: 'winner'; name: string; losses: string; harmless: string }
  | { kind: 'loser' }
  | { kind: 'no difference' }
  /** Nothing is awaited, because variations have been stopped without a verdict. `harm` is empty if there is none. */
  | { kind: 'stopped'; harm: string }
  /** Undecided, but worse on guardrails. */
  | { kind: 'harmed'; words: string }
  /** `until` says when to decide, if there is a result but the only look of the plan is still to come. */
  | { kind: 'undecided'; daysLeft: number | null; until?: string };

/** The state of an experiment without participants. */
export const NO_RESULTS: ResultState = { kind: 'no data', isLate: false };

/** An experiment's times. */
export interface ResultStateContext {
  now: Micros;
  /** When the experiment was last changed or started. */
  changedAt: Micros;
  /** Null if there are no events. */
  lastEventAt: Micros | null;
}

/** If a running experiment has no participants for longer than this, the tag should be checked. */
const LATE_AFTER = 3600 * SECOND_MICROS;
/** If a running experiment receives no events for this long, the tag should be checked. */
const SILENT_AFTER = DAY_MICROS;

/** The state of unfiltered results, as determined by the primary goal. */
export function resultState(results: ExperimentResults, context: ResultStateContext): ResultState {
  const { now, changedAt, lastEventAt } = context;
  const isRunning = results.experiment.status === 'running';
  if (results.participants === 0) {
    return { kind: 'no data', isLate: isRunning && now - changedAt >= LATE_AFTER };
  }
  if (results.sampleRatio.isMismatch) {
    return { kind: 'mismatch' };
  }
  const decided = decision(results);
  const isSilent =
    isRunning && lastEventAt !== null && now - Math.max(changedAt, lastEventAt) >= SILENT_AFTER;
  return decided.kind === 'undecided' && isSilent ? { kind: 'silent', lastEventAt } : decided;
}

function decision(results: ExperimentResults): ResultState {
  const goal = primaryOf(results);
  if (goal === undefined) {
    return harmed(results) ?? { kind: 'undecided', daysLeft: null };
  }
  const { tone, progress, label, headline } = verdictText(goal, {
    status: results.experiment.status,
    isWholeTime: true,
  });
  switch (tone) {
    case 'better':
      return winner(goal, results.goals);
    case 'worse':
      return { kind: 'loser' };
    case 'doubt':
      return { kind: 'mismatch' };
    default:
      if (label === 'No verdict') {
        return { kind: 'no difference' };
      }
      if (label === STOPPED) {
        return { kind: 'stopped', harm: harmsText(results) };
      }
      return (
        harmed(results) ?? {
          kind: 'undecided',
          daysLeft: progress?.daysLeft ?? null,
          ...(label === BEFORE_LOOK && { until: headline }),
        }
      );
  }
}

function winner(primary: GoalResults, goals: readonly GoalResults[]): ResultState {
  const [{ id, name }, ...otherWinners] = winnersOf(primary);
  const losses = lossNames(lossesOf(goals, id));
  return { kind: 'winner', name, losses, harmless: losses === '' ? '' : harmlessWords(goals, otherWinners) };
}

function harmed(results: ExperimentResults): ResultState | null {
  const words = harmsText(results);
  return words === '' ? null : { kind: 'harmed', words };
}

const harmsText = ({ goals }: ExperimentResults): string => harmsIn(goals).map(harmWords).join(' ');
