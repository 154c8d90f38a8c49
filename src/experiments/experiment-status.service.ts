import { Injectable } from '@nestjs/common';
import { roleAllows } from '../access/roles';
import type { ProjectScope } from '../access/scope';
import { NotFoundError, UnauthorizedRoleError } from '../common/errors/api-errors';
import { Shown } from '../common/freshness/answers';
import type { Micros } from '../common/time/clock';
import type { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { ItemObservers } from '../projects/item-observers';
import { difference } from '../projects/project-items';
import { ProjectWrite, ProjectWriter, writeScope } from '../projects/project-writer';
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
import { readinessFailures } from './readiness';
import { closeRun, openRun } from './runs';

/** Moves experiments through their life cycle. */
@Injectable()
export class ExperimentStatusService {
  constructor(
    private readonly writer: ProjectWriter,
    private readonly reader: ExperimentReader,
    private readonly observers: ItemObservers,
  ) {}

  async change(scope: ProjectScope, submission: Submission<ChangeStatus>): Promise<Shown<ExperimentRecord>> {
    return this.writer.change(writeScope(scope, 'experiments'), submission, async (write) => {
      const row = await this.reader.experiments.findById(write.tx, scope.target.id);
      if (row === null || row.deleted_at !== null) {
        throw new NotFoundError();
      }
      const before = await this.reader.record(write.tx, row);
      const to = decide(scope, row, before, submission, write.failures);
      if (to === row.status) {
        return new Shown(before, row.version);
      }
      return this.store(write, row, before, to);
    });
  }

  private async store(
    write: ProjectWrite,
    row: Experiment,
    before: ExperimentRecord,
    to: ExperimentStatus,
  ): Promise<Shown<ExperimentRecord>> {
    const { tx, now } = write;
    const changes = { ...statusColumns(row, to, now), updated_at: now };
    await this.reader.experiments.update(tx, row.id, changes);
    if (to === 'running') {
      await openRun(tx, row.id, now);
    } else {
      await closeRun(tx, row.id, now);
    }
    const record = await this.reader.record(tx, { ...row, ...changes });
    write.changed('experiments', {
      action: 'status',
      itemType: 'experiment',
      itemId: row.id,
      ...difference(before, record),
    });
    await this.observers.afterMove(write, row.id, row.status, to);
    return new Shown(record, row.version + 1);
  }
}

/**
 * The status to move to.
 * @throws UnauthorizedRoleError when the status has changed since the request was let in, to one the role may not leave
 * @throws ValidationError with the statuses that are allowed
 */
function decide(
  scope: ProjectScope,
  row: Experiment,
  record: ExperimentRecord,
  submission: Submission<ChangeStatus>,
  failures: Failures,
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
