import { Injectable } from '@nestjs/common';
import type { Automation } from '../platform/access/actor';
import { roleAllows } from '../platform/access/roles';
import type { ProjectScope } from '../platform/access/scope';
import { found, UnauthorizedRoleError } from '../common/errors/api-errors';
import { Shown } from '../common/http/answers';
import { listed } from '../common/text/strings';
import type { Micros } from '../common/time/clock';
import type { Submission } from '../common/validation/submission';
import { difference } from '../projects/project-items';
import { ProjectWrite, writeScope } from '../projects/project-writer';
import { Outbox } from '../webhooks/outbox';
import { type Claim, claimOf, moveRanges, NO_CLAIM } from './exclusion/exclusion-claims';
import { closeRun, fixPlan, hasLostEvents, openRun } from './experiment-run.store';
import { ExperimentPublisher, Publish } from './experiment-publisher';
import { ExperimentReader } from './experiment-reader';
import {
  allowedStatuses,
  eventOfMove,
  ExperimentStatus,
  isMoveAllowed,
  needsReadiness,
  permissionForMove,
  StatusState,
} from './experiment-status';
import { readinessFailures } from './readiness';
import type { ChangeStatus } from './experiment.dto';
import type { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';
import { ExperimentStore } from './experiment.store';
import { endPreviews } from './preview-rotation.service';
import { checkPlannedEnd } from './plan-fields';
import { scheduleAfterMove } from './schedule';

/** A status change that the server makes itself. */
export interface AutomaticMove {
  projectId: number;
  experimentId: number;
  author: Automation;
  to: ExperimentStatus;
  /**
   * Called while the project is locked, because a different process or a user may have changed the status.
   * @returns additional columns to store with the status change; null if the change is no longer due. Failures in
   * `write` reject the change
   */
  confirm: (
    write: ProjectWrite,
    row: Experiment,
  ) => Promise<Partial<Experiment> | null> | Partial<Experiment> | null;
}

/** An experiment as read in the transaction that changes its status. */
interface Current {
  write: ProjectWrite;
  publish: Publish;
  row: Experiment;
  before: ExperimentRecord;
  /** The buckets that the experiment would get from its exclusion group. */
  claim: Claim;
  /** Whether events that are needed for the experiment's results were removed. */
  areEventsRemoved: boolean;
}

/** Moves experiments through their life cycle. */
@Injectable()
export class ExperimentStatusService {
  constructor(
    private readonly publisher: ExperimentPublisher,
    private readonly reader: ExperimentReader,
    private readonly experiments: ExperimentStore,
    private readonly outbox: Outbox,
  ) {}

  /** Changes the status of an experiment. An experiment is live from its start until it stops. */
  async change(scope: ProjectScope, submission: Submission<ChangeStatus>): Promise<Shown<ExperimentRecord>> {
    const target = writeScope(scope, 'experiments');
    const { status } = submission.fields;
    return this.publisher[turnFor(status)](target, submission, scope.target.id, async (write, publish) => {
      const current = await this.current(write, publish, scope.target.id, status);
      const { row, before } = current;
      const to = decide(scope, current, submission);
      return to === row.status ? new Shown(before, row.version) : this.move(current, to);
    });
  }

  /**
   * Like `change`, but without a request or a role. Preconditions, publication, audit log entry, versions and locks are
   * the same.
   * @returns null if the status change is no longer due
   * @throws ValidationError if the change is rejected, NotFoundError if the experiment was deleted; nothing is stored
   * in either case
   */
  async changeAutomatically(move: AutomaticMove): Promise<Shown<ExperimentRecord> | null> {
    const { projectId, experimentId, author, to } = move;
    const target = { projectId, author };
    return this.publisher[turnFor(to)](target, null, experimentId, async (write, publish) => {
      const current = await this.current(write, publish, experimentId, to);
      const { row } = current;
      const columns = row.status === to ? null : await move.confirm(write, row);
      if (columns === null) {
        return null;
      }
      checkMove(current, to);
      write.failures.throwIfAny();
      return this.move(current, to, columns);
    });
  }

  /** @param to the requested status, if any */
  private async current(
    write: ProjectWrite,
    publish: Publish,
    id: number,
    to: ExperimentStatus | undefined,
  ): Promise<Current> {
    const row = found(await this.experiments.findLive(write.tx, id));
    const before = await this.reader.record(write.tx, row);
    const claim = to === 'running' ? await claimOf(write.tx, row) : NO_CLAIM;
    const areEventsRemoved = await hasLostEvents(write.tx, row);
    return { write, publish, row, before, claim, areEventsRemoved };
  }

  private async move(
    current: Current,
    to: ExperimentStatus,
    further: Partial<Experiment> = {},
  ): Promise<Shown<ExperimentRecord>> {
    await moveRanges(current.write.tx, current.row, to, current.claim);
    const shown = await this.store(current, to, further);
    if (current.row.status === 'running' || to === 'running') {
      await current.publish();
    }
    return shown;
  }

  private async store(
    { write, row, before }: Current,
    to: ExperimentStatus,
    further: Partial<Experiment>,
  ): Promise<Shown<ExperimentRecord>> {
    const { tx, now } = write;
    const ended = to === 'archive' ? await endPreviews(tx, row) : {};
    const changes = { ...statusColumns(row, to, now), ...ended, ...further, updated_at: now };
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
      // Preview links of variations are secret, so the audit log omits them.
      ...difference(before, { ...record, variations: before.variations }),
    });
    await this.report(write, row, to);
    return new Shown(record, row.version + 1);
  }

  private async report(
    { tx, projectId, now }: ProjectWrite,
    row: Experiment,
    to: ExperimentStatus,
  ): Promise<void> {
    const type = eventOfMove(row.status, to);
    if (type !== null) {
      const data = { status: to, previous_status: row.status };
      await this.outbox.record(tx, { type, projectId, experimentId: row.id, data }, now);
    }
  }
}

/** The kind of publication, which is built as if the experiment had already been started or stopped. */
const turnFor = (to: ExperimentStatus | undefined): 'starting' | 'stopping' =>
  to === 'running' ? 'starting' : 'stopping';

/**
 * The new status. @throws UnauthorizedRoleError if the status has changed since the access check and the role does not
 * permit this change @throws ValidationError with the allowed statuses
 */
function decide(
  scope: ProjectScope,
  current: Current,
  submission: Submission<ChangeStatus>,
): ExperimentStatus {
  const { write, row, before, claim } = current;
  const to = submission.fields.status;
  if (to !== undefined) {
    const permission = permissionForMove(row.status, to);
    if (!roleAllows(scope.role, permission)) {
      throw new UnauthorizedRoleError(scope.role, permission);
    }
    checkMove(current, to);
  }
  const allowed = allowedStatuses(statusState(current), !readinessFailures(before).any);
  write.failures.throwIfAny({
    allowed_statuses: claim.failures.any ? allowed.filter((each) => each !== 'running') : allowed,
  });
  return to ?? row.status;
}

const statusState = ({ row, areEventsRemoved }: Pick<Current, 'row' | 'areEventsRemoved'>): StatusState => ({
  status: row.status,
  started: row.started_at !== null,
  areEventsRemoved,
});

/** Rejects a status change if it is not allowed or if the experiment is not ready for it. */
function checkMove(current: Current, to: ExperimentStatus): void {
  const {
    write: { failures, now },
    row,
    before,
    claim,
  } = current;
  const state = statusState(current);
  if (!isMoveAllowed(state, to)) {
    failures.add('status', refusal(state, to, !readinessFailures(before).any), 'STATUS_NOT_ALLOWED');
  } else if (needsReadiness(row.status, to)) {
    failures.addEach(readinessFailures(before));
    failures.addEach(claim.failures);
  }
  if (to === 'running' && !state.started) {
    checkPlannedEnd(row.planned_end, now, failures);
  }
}

/** The message for a status change that is not allowed. It names the same statuses as `allowed_statuses`. */
function refusal(state: StatusState, to: ExperimentStatus, isReady: boolean): string {
  const { status, started } = state;
  if (state.areEventsRemoved) {
    return `The status cannot change from ${status} to ${to}, because events of the experiment were removed (event_retention_days). Clone the experiment and start the clone.`;
  }
  const history = started ? 'was started' : 'was never started';
  const allowed = allowedStatuses(state, isReady);
  const lacks = allowed.length < allowedStatuses(state, true).length ? ' and is not ready' : '';
  return `The status of an experiment that ${history}${lacks} cannot change from ${status} to ${to}, only to ${listed(allowed, 'or')}.`;
}

function statusColumns(row: Experiment, to: ExperimentStatus, now: Micros): Partial<Experiment> {
  return {
    status: to,
    started_at: to === 'running' ? (row.started_at ?? now) : row.started_at,
    paused_at: to === 'pause' ? now : null,
    paused_reason: null,
    archived_at: to === 'archive' ? now : null,
    ...scheduleAfterMove(to),
  };
}
