import { Injectable, Logger, Module } from '@nestjs/common';
import { BackgroundWorker } from '../../common/background-worker';
import { NotFoundError } from '../../common/errors/api-errors';
import { failureLog } from '../../common/errors/failure-log';
import { dayOf, nowInSeconds, type Micros } from '../../common/time/clock';
import { Config } from '../../config/config';
import { Database } from '../../database/database';
import { newTrips, notedTrips, reportTrips, tripsIn, type Trip } from '../../results/guardrail-trips';
import { EVERYBODY } from '../../results/result-filter';
import { ResultReadsModule } from '../../results/results.module';
import { ResultsService } from '../../results/results.service';
import { ToldResultsStore } from '../../results/watch/told-results.store';
import { Outbox, OutboxModule } from '../../webhooks/outbox';
import { ExperimentStatusService } from '../experiment-status.service';
import type { Experiment } from '../experiment.entity';
import { ExperimentsModule } from '../experiments.module';
import { GuardedExperiment, GuardrailStore } from './guardrail.store';

/** Pauses experiments whose guardrails are tripped. */
@Injectable()
export class GuardrailsService {
  private readonly logger = new Logger(GuardrailsService.name);

  /**
   * The last checked state of each experiment, by id. A different process, or this process after a restart, can repeat
   * a check, which has no effect.
   */
  private seen = new Map<number, string>();

  constructor(
    private readonly database: Database,
    private readonly store: GuardrailStore,
    private readonly results: ResultsService,
    private readonly statuses: ExperimentStatusService,
    private readonly told: ToldResultsStore,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Checks the experiments whose results or definition have changed since the last check. On a new day, checks all of
   * them, because the test is tuned to the traffic once `min_runtime_days` days have passed. A failed check is logged
   * and repeated next time.
   */
  async look(now: Micros = nowInSeconds()): Promise<void> {
    const guarded = await this.store.guarded(dayOf(now));
    this.seen = new Map(
      guarded.flatMap(({ id }) => {
        const state = this.seen.get(id);
        return state === undefined ? [] : [[id, state] as const];
      }),
    );
    for (const experiment of guarded.filter(({ id, state }) => this.seen.get(id) !== state)) {
      try {
        await this.check(experiment, now);
        this.seen.set(experiment.id, experiment.state);
      } catch (error) {
        const fields = { experiment: experiment.id };
        failureLog.report(this.logger, error, fields, 'A guardrail check failed; it will be retried');
      }
    }
  }

  /** Does nothing if the experiment has been deleted in the meantime. */
  private async check(experiment: GuardedExperiment, now: Micros): Promise<void> {
    try {
      const results = await this.database.snapshot(() => this.results.read(experiment.id, EVERYBODY, now));
      const trips = tripsIn(results);
      if (trips.length > 0) {
        await this.pause(experiment, trips);
      }
    } catch (error) {
      if (!(error instanceof NotFoundError)) {
        throw error;
      }
    }
  }

  private async pause({ id, projectId, version }: GuardedExperiment, trips: readonly Trip[]): Promise<void> {
    await this.statuses.changeAutomatically({
      projectId,
      experimentId: id,
      author: 'guardrail',
      to: 'pause',
      confirm: async (write, row) => {
        const columns = pauseColumns(row, version, trips);
        if (columns !== null) {
          const { state } = await this.told.lock(write.tx, id);
          const added = newTrips(trips, [...(row.guardrail_trips ?? []), ...state.sent]);
          const sent = await reportTrips(this.outbox, write, id, added);
          await this.told.addSent(write.tx, id, state, sent);
        }
        return columns;
      },
    });
  }
}

/**
 * The columns to store with the pause. Null if the experiment has changed since the check, in which case the next check
 * decides. Also null if the same guardrails have already paused the experiment and a user has resumed it.
 */
function pauseColumns(row: Experiment, version: number, trips: readonly Trip[]): Partial<Experiment> | null {
  const added = newTrips(trips, row.guardrail_trips);
  if (row.status !== 'running' || row.version !== version || added.length === 0) {
    return null;
  }
  return {
    paused_reason: pausedReason(added),
    guardrail_trips: notedTrips(row.guardrail_trips, added),
  };
}

/** The reason for the pause, with the goal and the variation for each tripped guardrail. */
const pausedReason = (trips: readonly Trip[]): string =>
  trips
    .map(
      ({ goal, variation }) =>
        `Guardrail \u201c${goal}\u201d: variation \u201c${variation}\u201d is significantly worse than the original.`,
    )
    .join(' ');

/** Milliseconds between checks. */
const REST_MS = 2_000;

/** Checks guardrails. Used only in processes that attribute events. */
@Injectable()
class GuardrailWorker extends BackgroundWorker {
  constructor(
    config: Config,
    private readonly guardrails: GuardrailsService,
  ) {
    super(config, 'Guardrails could not be checked; the check will be retried');
  }

  protected async step(): Promise<number> {
    await this.guardrails.look();
    return REST_MS;
  }
}

@Module({
  imports: [ExperimentsModule, ResultReadsModule, OutboxModule],
  providers: [GuardrailStore, GuardrailsService, GuardrailWorker, ToldResultsStore],
})
export class GuardrailsModule {}
