import { Injectable } from '@nestjs/common';
import { roleAllows } from '../access/roles';
import type { ProjectScope } from '../access/scope';
import { NotFoundError, UnauthorizedRoleError } from '../common/errors/api-errors';
import { Shown } from '../common/freshness/answers';
import type { Micros } from '../common/time/clock';
import type { Submission } from '../common/validation/submission';
import { difference } from '../projects/project-items';
import { ProjectWrite, writeScope } from '../projects/project-writer';
import { fixPlan } from './experiment-plan.store';
import { ExperimentPublisher } from './experiment-publisher';
import { ExperimentReader } from './experiment-reader';
import {
  allowedStatuses,
  ExperimentStatus,
  isMoveAllowed,
  needsReadiness,
  permissionForMove,
  Standing,
} from './experiment-status';
import type { ChangeStatus } from './experiment.dto';
import type { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';
import { ExperimentStore } from './experiment.store';
import { endPreviews } from './preview-rotation.service';
import { checkPlannedEnd } from './plan-fields';
import { readinessFailures } from './readiness';
import { closeRun, openRun } from './experiment-run.store';

/** Moves experiments through their life cycle. */
@Injectable()
export class ExperimentStatusService {
  constructor(
    private readonly publisher: ExperimentPublisher,
    private readonly reader: ExperimentReader,
    private readonly experiments: ExperimentStore,
  ) {}

  /** An experiment is live from its start until it stops. */
  async change(scope: ProjectScope, submission: Submission<ChangeStatus>): Promise<Shown<ExperimentRecord>> {
    const move = submission.fields.status === 'running' ? 'starting' : 'stopping';
    const target = writeScope(scope, 'experiments');
    return this.publisher[move](target, submission, scope.target.id, async (write, publish) => {
      const row = await this.experiments.findLive(write.tx, scope.target.id);
      if (row === null) {
        throw new NotFoundError();
      }
      const before = await this.reader.record(write.tx, row);
      const to = decide(scope, row, before, submission, write);
      if (to === row.status) {
        return new Shown(before, row.version);
      }
      const shown = await this.store(write, row, before, to);
      if (row.status === 'running' || to === 'running') {
        await publish();
      }
      return shown;
    });
  }

  private async store(
    write: ProjectWrite,
    row: Experiment,
    before: ExperimentRecord,
    to: ExperimentStatus,
  ): Promise<Shown<ExperimentRecord>> {
    const { tx, now } = write;
    const ended = to === 'archive' ? await endPreviews(tx, row) : {};
    const changes = { ...statusColumns(row, to, now), ...ended, updated_at: now };
    await this.experiments.update(tx, row.id, changes);
    if (to === 'running') {
      if (row.started_at === null) {
        await fixPlan(tx, row.id);
      }
      await openRun(tx, row.id, now);
    } else {
      await closeRun(tx, row.id, now);
    }
    const record = await this.reader.record(tx, { ...row, ...changes });
    write.changed('experiments', {
      action: 'status',
      itemType: 'experiment',
      itemId: row.id,
      // The links of variations are secrets, so the audit log does not have them.
      ...difference(before, { ...record, variations: before.variations }),
    });
    return new Shown(record, row.version + 1);
  }
}

/**
 * The new status. @throws UnauthorizedRoleError if the status has changed since the access check to one that the role
 * may not change @throws ValidationError with the allowed statuses
 */
function decide(
  scope: ProjectScope,
  row: Experiment,
  record: ExperimentRecord,
  submission: Submission<ChangeStatus>,
  { failures, now }: Pick<ProjectWrite, 'failures' | 'now'>,
): ExperimentStatus {
  const standing: Standing = { status: row.status, started: row.started_at !== null };
  const missing = readinessFailures(record);
  const to = submission.fields.status;
  if (to !== undefined) {
    const permission = permissionForMove(row.status, to);
    if (!roleAllows(scope.role, permission)) {
      throw new UnauthorizedRoleError(scope.role, permission);
    }
    if (!isMoveAllowed(standing, to)) {
      failures.add('status', refusal(standing, to));
    } else if (needsReadiness(row.status, to)) {
      failures.addEach(missing);
    }
    if (to === 'running' && row.started_at === null) {
      checkPlannedEnd(row.planned_end, now, failures);
    }
  }
  failures.throwIfAny({ allowed_statuses: allowedStatuses(standing, !missing.any) });
  return to ?? row.status;
}

function refusal({ status, started }: Standing, to: ExperimentStatus): string {
  const history = started ? 'was started' : 'was never started';
  return `The status cannot change from ${status} to ${to} for an experiment that ${history}.`;
}

function statusColumns(row: Experiment, to: ExperimentStatus, now: Micros): Partial<Experiment> {
  return {
    status: to,
    started_at: to === 'running' ? (row.started_at ?? now) : row.started_at,
    paused_at: to === 'pause' ? now : null,
    archived_at: to === 'archive' ? now : null,
  };
}
