import { Injectable, Logger, Module } from '@nestjs/common';
import { BackgroundWorker } from '../../common/background-worker';
import { failureLog } from '../../common/errors/failure-log';
import { nowMicros, SECOND_MICROS, type Micros } from '../../common/time/clock';
import { Config } from '../../config/config';
import { Database, Tx } from '../../database/database';
import { Outbox, OutboxModule } from '../../webhooks/outbox';
import type { ExperimentResults } from '../experiment-results';
import { newTrips, notedTrips, reportTrips, type Trip, tripsIn } from '../guardrail-trips';
import { EVERYBODY } from '../result-filter';
import { ResultReadsModule } from '../results.module';
import { ResultsService } from '../results.service';
import { reportedState, type VerdictChange, verdictChanges } from './reported-state';
import { ToldResultsStore, type Watched } from './told-results.store';

/**
 * Minimum times between checks of an experiment, in microseconds. The first applies if its results have changed, the
 * second if they have not.
 */
const CHANGED_EVERY = 60 * SECOND_MICROS;
const ANY_EVERY = 3_600 * SECOND_MICROS;
/** Maximum number of experiments per step. */
const BATCH = 5;

/**
 * Notifies webhooks of changed verdicts, a changed sample ratio check, and tripped guardrails that do not pause the
 * experiment. The last reported state is stored in the transaction that queues the webhook messages, so each change is
 * reported once, by one process. The first check reports nothing, because a new webhook is notified only of changes.
 */
@Injectable()
export class ResultWatch {
  private readonly logger = new Logger(ResultWatch.name);
  /**
   * Times of failed checks by experiment id. Without these times, the experiments would be due first again and block
   * all others.
   */
  private failed = new Map<number, Micros>();

  constructor(
    private readonly database: Database,
    private readonly store: ToldResultsStore,
    private readonly results: ResultsService,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Checks a number of experiments. If a check fails, the failure is logged, and the check is retried no sooner than a
   * minute later.
   * @returns whether there may be more
   */
  async step(now: Micros = nowMicros()): Promise<boolean> {
    const changedBefore = now - CHANGED_EVERY;
    this.failed = new Map([...this.failed].filter(([, at]) => at > changedBefore));
    await this.store.deleteUnwatched();
    const limits = { changedBefore, anyBefore: now - ANY_EVERY };
    const due = await this.store.due(limits, [...this.failed.keys()], BATCH);
    for (const watched of due) {
      try {
        const results = await this.database.snapshot(() =>
          this.results.read(watched.experimentId, EVERYBODY),
        );
        await this.database.transaction((tx) => this.tell(tx, watched, results, now));
      } catch (error) {
        this.failed.set(watched.experimentId, now);
        const fields = { experiment: watched.experimentId };
        failureLog.report(this.logger, error, fields, 'Results could not be compared; this will be retried');
      }
    }
    return due.length === BATCH;
  }

  private async tell(tx: Tx, watched: Watched, results: ExperimentResults, now: Micros): Promise<void> {
    const { experimentId, projectId, told } = watched;
    const trips = tripsToReport(watched, results);
    const state = reportedState(results, {
      trips: notedTrips(told?.state.trips ?? [], trips),
      earlier: told?.state.earlier ?? notedTrips([], tripsIn(results)),
    });
    const isStored = await this.store.store(tx, watched, state, now);
    if (!isStored || told === null) {
      return;
    }
    if (told.state.hasMismatch !== state.hasMismatch) {
      const data = { detected: state.hasMismatch };
      const type = 'experiment.sample_ratio_mismatch';
      await this.outbox.record(tx, { type, projectId, experimentId, data }, now);
    }
    await reportTrips(this.outbox, { tx, projectId, now }, experimentId, trips);
    for (const change of verdictChanges(told.state, state)) {
      await this.tellVerdict(tx, watched, change, now);
    }
  }

  /** Reports a changed verdict, unless its goal or variation has been deleted. */
  private async tellVerdict(
    tx: Tx,
    { experimentId, projectId }: Watched,
    { goalId, variationId, verdict, previous }: VerdictChange,
    now: Micros,
  ): Promise<void> {
    const goal = await this.outbox.named(tx, 'goal', goalId);
    const variation = await this.outbox.named(tx, 'variation', variationId);
    if (goal !== null && variation !== null) {
      const data = { goal, variation, verdict, previous_verdict: previous };
      await this.outbox.record(tx, { type: 'experiment.verdict', projectId, experimentId, data }, now);
    }
  }
}

/** The trips since the first check that have not been reported. None if they must not be reported yet. */
function tripsToReport({ told, reportsTrips }: Watched, results: ExperimentResults): Trip[] {
  return told !== null && reportsTrips
    ? newTrips(tripsIn(results), [...told.state.trips, ...told.state.earlier])
    : [];
}

const REST_MS = 5_000;

/** Checks for changed results. Used only in processes that attribute events. */
@Injectable()
class ResultWatcher extends BackgroundWorker {
  constructor(
    config: Config,
    private readonly watch: ResultWatch,
  ) {
    super(config, 'Results could not be compared; this will be retried');
  }

  protected async step(): Promise<number> {
    return (await this.watch.step()) ? 0 : REST_MS;
  }
}

/** Watches results for webhooks, in server and worker processes. */
@Module({
  imports: [ResultReadsModule, OutboxModule],
  providers: [ResultWatch, ResultWatcher, ToldResultsStore],
})
export class ResultWatchModule {}
