import { Failures } from '../common/validation/failures';
import type { Permission } from '../platform/access/roles';
import type { Attachments } from './attachment.store';
import type { UpdateExperiment } from './experiment.dto';
import type { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';
import { sharesAreComplete, sumOfShares } from './variations/variation-shares';

export const STATUSES = ['draft', 'preview', 'running', 'pause', 'archive'] as const;

export type ExperimentStatus = (typeof STATUSES)[number];

/** Additional conditions of a status change. */
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
  /** Whether the experiment has ever been running. */
  started: boolean;
  /** Whether events of the final result were removed, so the result can no longer change. */
  areEventsRemoved?: boolean;
}

/** Whether the status change is allowed, apart from readiness. The current status is always allowed. */
export function isMoveAllowed(
  { status, started, areEventsRemoved = false }: Standing,
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

/** Whether the status change needs a ready experiment (variations, pages, goals, shares). */
export function needsReadiness(from: ExperimentStatus, to: ExperimentStatus): boolean {
  return MOVES[from][to] === 'ready';
}

/** The statuses to which the experiment can change. */
export function allowedStatuses(standing: Standing, isReady: boolean): ExperimentStatus[] {
  const { status } = standing;
  return STATUSES.filter(
    (to) => to !== status && isMoveAllowed(standing, to) && (isReady || !needsReadiness(status, to)),
  );
}

const LIVE_MOVES: readonly ExperimentStatus[] = ['running', 'pause', 'archive'];

/** The permission for this status change. Setting the current status again changes nothing. */
export function permissionForMove(from: ExperimentStatus, to: unknown): Permission {
  const isLive = from === 'running' || LIVE_MOVES.some((status) => status === to);
  return from !== to && isLive ? 'experiments:run' : 'experiments:prepare';
}

/** The event of a status change for webhooks; null if it does not affect visitors or results. */
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

/** The missing parts that an experiment needs for preview or start. */
export function readinessFailures({ variations, pages, goals }: ExperimentRecord): Failures {
  const failures = new Failures();
  const shares = variations.map((variation) => variation.traffic_allocation);
  if (variations.length === 0) {
    failures.add('variations', 'The experiment needs at least one variation.', 'EXPERIMENT_NOT_READY');
  } else if (!sharesAreComplete(shares)) {
    failures.add(
      'variations',
      `The traffic allocations of the variations sum to ${sumOfShares(shares)}, not 100.`,
      'EXPERIMENT_NOT_READY',
    );
  }
  if (pages.length === 0) {
    failures.add('pages', 'The experiment needs at least one page.', 'EXPERIMENT_NOT_READY');
  }
  if (goals.length === 0) {
    failures.add('goals', 'The experiment needs at least one goal.', 'EXPERIMENT_NOT_READY');
  }
  return failures;
}

/** The fields of an archived experiment that can still change, because they do not affect measurements. */
const KEPT_OPEN = ['hypothesis', 'decision', 'shared'] as const satisfies (keyof UpdateExperiment)[];

/** These fields determine which visitors of a group take part. The group's other experiments rely on that. */
const FIXED_WHILE_RUNNING = [
  'exclusion_group_id',
  'exclusion_share',
] as const satisfies (keyof UpdateExperiment)[];

/** A requested update. */
export interface AskedUpdate {
  /** The fields of the request. */
  sent: readonly string[];
  /** The fields that would change. */
  changed: readonly string[];
  attachments: Partial<Attachments>;
}

/** Rejects changes of fields that the experiment's status makes read-only. */
export function checkStanding(
  { status }: Pick<Experiment, 'status'>,
  { sent, changed, attachments }: AskedUpdate,
  failures: Failures,
): void {
  if (status === 'archive' && !keepsArchived(sent, changed, failures)) {
    failures.add(
      'status',
      `An archived experiment cannot be updated. Only these fields can change: ${KEPT_OPEN.join(', ')}.`,
      'EXPERIMENT_ARCHIVED',
    );
  }
  for (const field of FIXED_WHILE_RUNNING) {
    if (status === 'running' && changed.includes(field)) {
      failures.add(
        field,
        `The ${field} cannot change while the experiment runs. Pause it first.`,
        'EXCLUSION_FIXED',
      );
    }
  }
  for (const kind of ['pages', 'goals'] as const) {
    if (status === 'running' && attachments[kind]?.length === 0 && !failures.has(kind)) {
      failures.add(kind, `A running experiment cannot lose its last ${kind.slice(0, -1)}.`);
    }
  }
}

/**
 * Whether the request changes no field except those in `KEPT_OPEN`, and either names one of them or sends back a part
 * of the record.
 */
function keepsArchived(sent: readonly string[], changed: readonly string[], failures: Failures): boolean {
  const open: readonly string[] = KEPT_OPEN;
  const isPart = sent.length > 0 && !failures.any;
  return (
    changed.every((field) => open.includes(field)) && (isPart || sent.some((field) => open.includes(field)))
  );
}
