import {
  allowedStatuses,
  ExperimentStatus,
  permissionForMove,
  StatusState,
} from '../experiments/experiment-status';
import type { Permission } from '../platform/access/roles';
import type { NoticeKey } from './notices';
import { SOON } from './visible-changes';

/** A status change, as pages describe it. */
export interface Move {
  to: ExperimentStatus;
  /** The button label, an imperative. */
  title: string;
  /** The effect of the change. */
  text: string;
  notice: NoticeKey;
  permission: Permission;
  /** Whether the change affects visitors. */
  isLive: boolean;
  /** Whether the change takes a running experiment offline, in which case it must never be blocked. */
  stops: boolean;
}

type Words = Pick<Move, 'title' | 'text' | 'notice'>;

const START: Words = {
  title: 'Start',
  text: `The experiment goes live with its current definition. New page views show it ${SOON}. Participants are counted from now on.`,
  notice: 'started',
};
const RESTART: Words = {
  ...START,
  title: 'Restart',
  text: `The experiment goes live with its current definition. New page views show it ${SOON}. Collected data is kept.`,
};
const RESUME: Words = {
  ...START,
  title: 'Resume',
  text: `The experiment goes live again. New page views show it ${SOON}.`,
};
const PREVIEW: Words = {
  title: 'Preview',
  text: 'You can check the variations with their preview links. Nothing is counted.',
  notice: 'previewed',
};
const STOPPED = `New page views show the original ${SOON}. Collected data is kept.`;
const PAUSE: Words = { title: 'Pause', text: STOPPED, notice: 'paused' };
const RESTORE: Words = {
  title: 'Restore',
  text: 'The experiment is then paused. You can resume it with the collected data.',
  notice: 'paused',
};
const ARCHIVE: Words = {
  title: 'Archive',
  text: 'Results are kept. You can restore the experiment later.',
  notice: 'archived',
};
const REDRAFT: Words = {
  title: 'Back to draft',
  text: 'Pages, audiences and goals that it uses can then be deleted. Preview links still work.',
  notice: 'drafted',
};
const UNARCHIVE: Words = { ...REDRAFT, text: 'You can then change the experiment.' };

/** In button order. */
const ORDER: readonly ExperimentStatus[] = ['running', 'pause', 'preview', 'draft', 'archive'];

/** The status changes that the experiment can make now, most likely first. */
export const movesOf = (state: StatusState, isReady: boolean): Move[] =>
  ORDER.filter((to) => allowedStatuses(state, isReady).includes(to)).map((to) => moveTo(state, to));

/** A status change, allowed or not. */
export function moveTo(state: StatusState, to: ExperimentStatus): Move {
  const { status } = state;
  const isRunning = status === 'running';
  return {
    to,
    ...wordsOf(state, to),
    ...(isRunning && to !== 'pause' && { text: STOPPED }),
    permission: permissionForMove(status, to),
    isLive: isRunning || to === 'running',
    stops: isRunning,
  };
}

function wordsOf({ status, started }: StatusState, to: ExperimentStatus): Words {
  switch (to) {
    case 'running':
      return status === 'pause' ? RESUME : started ? RESTART : START;
    case 'pause':
      return status === 'archive' ? RESTORE : PAUSE;
    case 'preview':
      return PREVIEW;
    case 'archive':
      return ARCHIVE;
    case 'draft':
      return status === 'archive' ? UNARCHIVE : REDRAFT;
  }
}
