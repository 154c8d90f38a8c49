import type { Permission } from '../platform/access/roles';

export const STATUSES = ['draft', 'preview', 'running', 'pause', 'archive'] as const;

export type ExperimentStatus = (typeof STATUSES)[number];

/** Additional conditions for a status change. */
type Condition = 'always' | 'ready' | 'started' | 'never started';

const MOVES: Record<ExperimentStatus, Partial<Record<ExperimentStatus, Condition>>> = {
  draft: { preview: 'ready', running: 'ready', archive: 'always' },
  preview: { draft: 'never started', running: 'ready', pause: 'started', archive: 'always' },
  running: { preview: 'ready', pause: 'always', archive: 'always' },
  pause: { preview: 'ready', running: 'ready', archive: 'always' },
  archive: { draft: 'never started', pause: 'started' },
};

export interface StatusState {
  status: ExperimentStatus;
  /** Whether the experiment has ever been running. */
  started: boolean;
  /** Whether events that the final results include were removed, in which case those results can no longer change. */
  areEventsRemoved: boolean;
}

/** Whether the status change is allowed, apart from readiness. The current status is always allowed. */
export function isMoveAllowed(
  { status, started, areEventsRemoved }: StatusState,
  to: ExperimentStatus,
): boolean {
  if (status === to || areEventsRemoved) {
    return status === to;
  }
  const condition = MOVES[status][to];
  switch (condition) {
    case undefined:
      return false;
    case 'started':
      return started;
    case 'never started':
      return !started;
    default:
      return true;
  }
}

/** Whether the status change requires the experiment to be ready (variations, pages, goals, shares). */
export function needsReadiness(from: ExperimentStatus, to: ExperimentStatus): boolean {
  return MOVES[from][to] === 'ready';
}

/** The statuses to which the experiment can change. */
export function allowedStatuses(state: StatusState, isReady: boolean): ExperimentStatus[] {
  const { status } = state;
  return STATUSES.filter(
    (to) => to !== status && isMoveAllowed(state, to) && (isReady || !needsReadiness(status, to)),
  );
}

const LIVE_MOVES: readonly ExperimentStatus[] = ['running', 'pause', 'archive'];

/**
 * The permission for this status change. Setting the current status again changes nothing. A value that is not a
 * status needs no more than the other changes, so validation rejects it with its name.
 */
export function permissionForMove(from: ExperimentStatus, to: unknown): Permission {
  const isStatus = STATUSES.some((status) => status === to);
  const isLive = from === 'running' || LIVE_MOVES.some((status) => status === to);
  return from !== to && isStatus && isLive ? 'experiments:run' : 'experiments:prepare';
}

/** The webhook event for a status change; null if it does not affect visitors or results. */
export function eventOfMove(
  from: ExperimentStatus,
  to: ExperimentStatus,
): 'experiment.started' | 'experiment.paused' | 'experiment.archived' | null {
  if (to === 'running') {
    return 'experiment.started';
  }
  if (to === 'archive') {
    return 'experiment.archived';
  }
  return from === 'running' ? 'experiment.paused' : null;
}
