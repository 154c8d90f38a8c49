import type { ExperimentStatus } from '../experiments/experiment-status';
import { formatMoment } from '../presentation/text/dates';
import { nameInSentence, roughDays } from '../presentation/text/words';
import type { ResultState } from './result-state';

/** A recommendation in words. */
export interface Advice {
  title: string;
  text: string;
  /** Whether to link to the installation and the live events. */
  isAboutEvents: boolean;
}

interface Advised {
  status: ExperimentStatus;
  results: ResultState;
  /** Whether the experiment has no environment, in which case no visitor can take part. */
  isNowhere?: boolean;
  /** Why conditions of the experiment's pages never match; empty if there is no such reason. */
  pageWarnings?: readonly string[];
  /** Whether the team has recorded its decision, which may differ from the verdict. */
  isDecisionMade?: boolean;
}

const advice = (title: string, text: string): Advice => ({ title, text, isAboutEvents: false });
const eventAdvice = (title: string, text: string): Advice => ({ title, text, isAboutEvents: true });

/** The recommendation for an experiment with results or in a status that waits for them; otherwise null. */
export function adviceOn({
  status,
  results,
  isNowhere = false,
  pageWarnings = [],
  isDecisionMade = false,
}: Advised): Advice | null {
  if (isDecisionMade) {
    return status === 'archive'
      ? null
      : advice('Archive the experiment', 'The decision is recorded, so the experiment can end.');
  }
  const waits = results.kind === 'no data' || results.kind === 'silent';
  if (status === 'draft' || status === 'preview' || (isNowhere && waits)) {
    return null;
  }
  switch (results.kind) {
    case 'no data':
      return status === 'running' ? withoutData(results.isLate, pageWarnings) : null;
    case 'silent':
      return eventAdvice(
        'Check that events arrive',
        `The last event was counted on ${formatMoment(results.lastEventAt)}. Is the tag still installed on your pages?`,
      );
    case 'undecided':
      return undecided(status, results);
    case 'harmed':
      return harmed(status, results.words);
    default:
      return decided(status, results);
  }
}

function withoutData(isLate: boolean, pageWarnings: readonly string[]): Advice {
  const [title, text] = isLate
    ? [
        'Check that the tag is installed',
        'The experiment is running but has no participants. Is the tag installed on your pages, do their URLs match the conditions of the experiment’s pages, and do visitors match the audiences?',
      ]
    : [
        'Wait for the first participants',
        'To check that events arrive, open a page where the experiment runs.',
      ];
  return eventAdvice(title, [text, ...pageWarnings].join(' '));
}

type Undecided = Extract<ResultState, { kind: 'undecided' }>;

function undecided(status: ExperimentStatus, { daysLeft, until }: Undecided): Advice | null {
  const lack = until === undefined ? 'The primary goal has no verdict yet.' : `${until}.`;
  switch (status) {
    case 'running': {
      const left =
        daysLeft === null
          ? 'There is no forecast yet.'
          : `The experiment needs to run ${roughDays(daysLeft)} longer.`;
      return advice('Keep the experiment running', until === undefined ? `${lack} ${left}` : lack);
    }
    case 'pause':
      return advice(
        'Resume or archive the experiment',
        `${lack} Nothing is counted while the experiment is paused.`,
      );
    default:
      return advice(
        'Decide without a result',
        until === undefined ? 'The experiment ended before the primary goal reached a verdict.' : lack,
      );
  }
}

function harmed(status: ExperimentStatus, words: string): Advice {
  switch (status) {
    case 'running':
      return advice(
        'Pause the experiment, or accept the loss',
        `${words} The primary goal has no verdict yet.`,
      );
    case 'pause':
      return advice(
        'Archive the experiment, or accept the loss and resume it',
        `${words} The primary goal has no verdict yet.`,
      );
    default:
      return advice(
        'Keep the original',
        `${words} The experiment ended before the primary goal reached a verdict.`,
      );
  }
}

type Decided = Exclude<ResultState, { kind: 'no data' | 'silent' | 'undecided' | 'harmed' }>;

function decided(status: ExperimentStatus, results: Decided): Advice {
  const isOver = status === 'archive';
  const keep = isOver ? 'Keep the original' : 'End the experiment and keep the original';
  switch (results.kind) {
    case 'mismatch':
      return advice(
        'Fix the cause, then clone the experiment',
        'The participants are not split according to the shares, so this result cannot be trusted. More data will not help.',
      );
    case 'winner': {
      const name = nameInSentence(results.name);
      if (results.losses !== '') {
        const text = `${name} is better on the primary goal but worse on ${results.losses}. ${isOver ? 'Roll out' : 'Archive the experiment, and roll out'} ${name} only if you accept that.`;
        return advice('Decide whether the gain is worth the loss', `${text} ${results.harmless}`.trimEnd());
      }
      return isOver
        ? advice(
            `Roll out ${name}`,
            'The experiment has ended. Build the change into your site for all visitors.',
          )
        : advice(
            `Stop the experiment and roll out ${name}`,
            'Build the change into your site, then archive the experiment. Visitors see the original again once the experiment is archived.',
          );
    }
    case 'loser':
      return advice(keep, 'No variation is better than the original.');
    case 'no difference':
      return advice(keep, 'The plan is over without a verdict.');
    case 'stopped':
      return advice(
        results.harm === '' ? `${keep}, or give the stopped variations traffic again` : keep,
        `${results.harm} Traffic stopped before there was a verdict on the primary goal.`.trimStart(),
      );
  }
}
