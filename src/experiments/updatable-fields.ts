import type { Failures } from '../common/validation/failures';
import type { Attachments } from './attachment.store';
import type { Experiment } from './experiment.entity';
import type { UpdateExperiment } from './experiment.dto';

/** The fields of an archived experiment that can still change, because they do not affect what was measured. */
const KEPT_OPEN = ['hypothesis', 'decision', 'shared'] as const satisfies (keyof UpdateExperiment)[];

/**
 * The fields that determine which visitors in an exclusion group take part. The other experiments in the group rely on
 * these fields.
 */
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

/** Rejects changes to fields that the experiment's status makes read-only. */
export function checkUpdatable(
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
 * Whether the request changes only fields in `KEPT_OPEN`, and either names one of them or sends back a part of the
 * record.
 */
function keepsArchived(sent: readonly string[], changed: readonly string[], failures: Failures): boolean {
  const open: readonly string[] = KEPT_OPEN;
  const isPart = sent.length > 0 && !failures.any;
  return (
    changed.every((field) => open.includes(field)) && (isPart || sent.some((field) => open.includes(field)))
  );
}
