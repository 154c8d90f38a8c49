import { Injectable, Logger, Module } from '@nestjs/common';
import { BackgroundWorker } from '../../common/background-worker';
import { NotFoundError, ValidationError } from '../../common/errors/api-errors';
import { failureLog } from '../../common/errors/failure-log';
import { formatMicros, nowMicros } from '../../common/time/clock';
import { Config } from '../../config/config';
import { roleAllows } from '../../platform/access/roles';
import { ProjectWrite, ProjectWriter } from '../../projects/project-writer';
import { ProjectWritesModule } from '../../projects/projects.module';
import { Outbox, OutboxModule } from '../../webhooks/outbox';
import { ExperimentStatusService } from '../experiment-status.service';
import type { Experiment } from '../experiment.entity';
import { ExperimentStore } from '../experiment.store';
import { ExperimentsModule } from '../experiments.module';
import { inSeconds, NOUNS, type ScheduleAuthor } from '../schedule';
import { DueMoment, ScheduleStore } from './schedule.store';

/** Whether the user who set a schedule still has permission for it. */
@Injectable()
class SchedulePermission {
  constructor(private readonly store: ScheduleStore) {}

  /** The reason for a refusal, as a sentence; null if the user has permission. */
  async refusal(
    { tx, projectId, now }: Pick<ProjectWrite, 'tx' | 'projectId' | 'now'>,
    { user_id: userId, token_id: tokenId }: ScheduleAuthor,
  ): Promise<string | null> {
    const member = await this.store.member(tx, userId, projectId);
    if (member === null) {
      return 'The user who set it was deleted.';
    }
    const { name, isDisabled, role } = member;
    if (isDisabled) {
      return `The user who set it, ${name}, is disabled.`;
    }
    if (role === null) {
      return `The user who set it, ${name}, is no longer a member of the team.`;
    }
    if (!roleAllows(role, 'experiments:run')) {
      return `The user who set it, ${name}, is now ${role === 'viewer' ? 'a viewer' : 'an editor'} and may no longer do this.`;
    }
    const isValid = tokenId === null || (await this.store.isTokenValid(tx, tokenId, now));
    return isValid ? null : `The API token of ${name} that set it was revoked or has expired.`;
  }
}

const MOVES = { starts_at: 'running', ends_at: 'archive' } as const;

/** The version of the experiment on which the decision was based; null before the decision. */
interface Decided {
  version: number | null;
}

/**
 * Starts and archives experiments at their scheduled times. Several processes can do this at the same time, because
 * each one rereads the schedule, changes the status and clears the schedule in a single transaction.
 */
@Injectable()
export class SchedulesService {
  private readonly logger = new Logger(SchedulesService.name);

  constructor(
    private readonly store: ScheduleStore,
    private readonly permission: SchedulePermission,
    private readonly statuses: ExperimentStatusService,
    private readonly experiments: ExperimentStore,
    private readonly writer: ProjectWriter,
    private readonly outbox: Outbox,
  ) {}

  /** Makes all status changes that are due. If a change fails, the failure is logged and the change remains due. */
  async run(): Promise<void> {
    for (const due of await this.store.due(nowMicros())) {
      try {
        await this.move(due);
      } catch (error) {
        const fields = { experiment: due.experimentId };
        failureLog.report(this.logger, error, fields, 'A scheduled status change failed; it will be retried');
      }
    }
  }

  private async move(due: DueMoment): Promise<void> {
    const { projectId, experimentId, moment } = due;
    const decided: Decided = { version: null };
    const confirm = (write: ProjectWrite, row: Experiment) => this.confirm(write, row, due, decided);
    try {
      await this.statuses.changeAutomatically({
        projectId,
        experimentId,
        author: 'schedule',
        to: MOVES[moment],
        confirm,
      });
    } catch (error) {
      if (error instanceof ValidationError) {
        await this.refuse(due, decided, error);
      } else if (!(error instanceof NotFoundError)) {
        throw error;
      }
    }
  }

  /**
   * Checks a due change inside the transaction. The error from a refused start is kept when the scheduled end takes
   * place.
   */
  private async confirm(
    write: ProjectWrite,
    row: Experiment,
    { moment, at }: DueMoment,
    decided: Decided,
  ): Promise<Partial<Experiment> | null> {
    if (row[moment] !== at) {
      return null;
    }
    decided.version = row.version;
    if (moment === 'starts_at' && row.ends_at !== null && row.ends_at <= formatMicros(write.now)) {
      write.failures.add(moment, `The end, ${inSeconds(row.ends_at)}, had also passed.`);
    }
    const author = row.schedule_authors?.[moment];
    const refusal = author === undefined ? null : await this.permission.refusal(write, author);
    if (refusal !== null) {
      write.failures.add(moment, refusal);
    }
    return moment === 'ends_at' ? { schedule_error: row.schedule_error } : {};
  }

  /**
   * Stores why a status change was refused, unless the experiment has changed since. In that case, the next run decides
   * again.
   */
  private async refuse(due: DueMoment, decided: Decided, { failures }: ValidationError): Promise<void> {
    const { projectId, experimentId, moment, at } = due;
    const reasons = failures.map(({ message }) => message).join(' ');
    const message = `The ${NOUNS[moment]} scheduled for ${inSeconds(at)} was rejected. ${reasons}`;
    await this.writer.change({ projectId, author: 'schedule' }, null, async (write) => {
      const row = await this.experiments.findLive(write.tx, experimentId);
      if (row === null || row.version !== decided.version) {
        return;
      }
      const after = { [moment]: null, schedule_error: message };
      await this.experiments.update(write.tx, experimentId, { ...after, updated_at: write.now });
      write.changed('experiments', {
        action: 'schedule-refused',
        itemType: 'experiment',
        itemId: experimentId,
        itemName: row.name,
        before: { [moment]: at, schedule_error: row.schedule_error },
        after,
      });
      const data = { move: MOVES[moment], message };
      const happening = { type: 'experiment.schedule_refused' as const, projectId, experimentId, data };
      await this.outbox.record(write.tx, happening, write.now);
    });
  }
}

/**
 * Milliseconds between checks for due changes. The interval is short, because the system clock can change and other
 * processes can store schedules.
 */
const REST_MS = 1_000;

/** Makes scheduled status changes when they are due. */
@Injectable()
class ScheduleWorker extends BackgroundWorker {
  constructor(
    config: Config,
    private readonly schedules: SchedulesService,
  ) {
    super(config, 'Schedules could not be read; this will be retried');
  }

  protected async step(): Promise<number> {
    await this.schedules.run();
    return REST_MS;
  }
}

/** Starts and ends experiments on schedule. Used only in server and worker processes. */
@Module({
  imports: [ExperimentsModule, ProjectWritesModule, OutboxModule],
  providers: [SchedulePermission, SchedulesService, ScheduleStore, ScheduleWorker],
})
export class SchedulesModule {}
