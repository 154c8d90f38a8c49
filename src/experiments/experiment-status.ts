import type { Permission } from '../access/roles';

export const STATUSES = ['draft', 'preview', 'running', 'pause', 'archive'] as const;

export type ExperimentStatus = (typeof STATUSES)[number];

/** What a move needs besides being in the table. */
type Condition = 'always' | 'ready' | 'started' | 'never started';

const MOVES: Record<ExperimentStatus, Partial<Record<ExperimentStatus, Condition>>> = {
  draft: { preview: 'ready', running: 'ready', archive: 'always' },
  preview: { draft: 'never started', running: 'ready', pause: 'started', archive: 'always' },
  running: { preview: 'ready', pause: 'always', archive: 'always' },
  pause: { preview: 'ready', running: 'ready', archive: 'always' },
  archive: { draft: 'never started', pause: 'started' },
};

export interface Standing {
  status: ExperimentStatus;
  /** It was running at least once. */
  started: boolean;
}

/** May the experiment make this move, readiness apart? Staying where it is always may. */
export function isMoveAllowed({ status, started }: Standing, to: ExperimentStatus): boolean {
  if (status === to) {
    return true;
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

/** Must the experiment be ready (variations, pages, goals, shares) for this move? */
export function needsReadiness(from: ExperimentStatus, to: ExperimentStatus): boolean {
  return MOVES[from][to] === 'ready';
}

/** The statuses that the experiment could move to now. */
export function allowedStatuses(standing: Standing, isReady: boolean): ExperimentStatus[] {
  const { status } = standing;
  return STATUSES.filter(
    (to) => to !== status && isMoveAllowed(standing, to) && (isReady || !needsReadiness(status, to)),
  );
}

const LIVE_MOVES: readonly ExperimentStatus[] = ['running', 'pause', 'archive'];

/** What a role must be allowed to do for this move. A status that stays as it is changes nothing. */
export function permissionForMove(from: ExperimentStatus, to: unknown): Permission {
  const isLive = from === 'running' || LIVE_MOVES.some((status) => status === to);
  return from !== to && isLive ? 'experiments:run' : 'experiments:prepare';
}
