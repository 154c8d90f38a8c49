import { Injectable, Logger, Module } from '@nestjs/common';
import { BackgroundWorker } from '../../common/background-worker';
import { failureLog } from '../../common/errors/failure-log';
import { nowMicros, SECOND_MICROS, type Micros } from '../../common/time/clock';
import { Config } from '../../config/config';
import { Database, Tx } from '../../database/database';
import { Outbox, OutboxModule } from '../../webhooks/outbox';
import type { ExperimentResults } from '../experiment-results';
import {
  knownTrips,
  newTrips,
  notedTrips,
  reportTrips,
  TRIP_EVENT,
  type Trip,
  tripsIn,
} from '../guardrail-trips';
import { EVERYBODY } from '../result-filter';
import { ResultReadsModule } from '../results.module';
import { ResultsService } from '../results.service';
import {
  type ReportedResults,
  reportedResults,
  type ReportedState,
  type VerdictChange,
  verdictChanges,
  WITHOUT_DATA,
} from './reported-state';
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
 * reported once, by one process. A new webhook is notified only of changes, so the first check of an experiment reports
 * nothing, unless the webhook is older than the experiment's data.
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
    await this.store.forgetUnwatched();
    await this.store.noteWithoutData(now);
    const limits = { changedBefore, anyBefore: now - ANY_EVERY, anyAfter: now + CHANGED_EVERY };
    const due = await this.store.due(limits, [...this.failed.keys()], BATCH);
    for (const watched of due) {
      try {
        await this.check(watched, now);
      } catch (error) {
        this.failed.set(watched.experimentId, now);
        const fields = { experiment: watched.experimentId };
        failureLog.report(this.logger, error, fields, 'Results could not be compared; this will be retried');
      }
    }
    return due.length === BATCH;
  }

  private async check(watched: Watched, now: Micros): Promise<void> {
    const results = await this.database.snapshot(() => this.results.read(watched.experimentId, EVERYBODY));
    // Asked after the results are read, so that no trip is noted as seen that followed a subscription.
    const awaitsTrips = await this.outbox.isAwaited(watched.projectId, TRIP_EVENT);
    await this.database.transaction((tx) => this.tell(tx, watched, { results, awaitsTrips }, now));
  }

  /** Does nothing if a different process has changed the state since the experiment was found to be due. */
  private async tell(
    tx: Tx,
    watched: Watched,
    { results, awaitsTrips }: { results: ExperimentResults; awaitsTrips: boolean },
    now: Micros,
  ): Promise<void> {
    const { experimentId, projectId, reportsTrips } = watched;
    const { state: stored, previousVersion } = await this.store.lock(tx, experimentId);
    if (previousVersion !== watched.lockVersion) {
      return;
    }
    const state = watched.isNew ? { ...WITHOUT_DATA, sent: stored.sent } : stored;
    const current = reportedResults(results);
    const tripped = tripsIn(results);
    const trips = awaitsTrips && reportsTrips ? tripsToSend(tripped, state) : [];
    if (state.results !== null) {
      await this.tellChanges(tx, watched, [state.results, current], now);
    }
    const sent = await reportTrips(this.outbox, { tx, projectId, now }, experimentId, trips);
    await this.store.store(
      tx,
      watched,
      {
        results: current,
        sent: notedTrips(state.sent, sent),
        seen: notedTrips([], awaitsTrips ? tripsStillSeen(tripped, state) : tripped),
      },
      now,
    );
  }

  private async tellChanges(
    tx: Tx,
    watched: Watched,
    [before, after]: readonly [ReportedResults, ReportedResults],
    now: Micros,
  ): Promise<void> {
    const { experimentId, projectId } = watched;
    if (before.hasMismatch !== after.hasMismatch) {
      const data = { detected: after.hasMismatch };
      const type = 'experiment.sample_ratio_mismatch';
      await this.outbox.record(tx, { type, projectId, experimentId, data }, now);
    }
    for (const change of verdictChanges(before, after)) {
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

/** The trips to report: those that were neither sent nor seen before a subscription. None at the first check. */
const tripsToSend = (tripped: readonly Trip[], { sent, seen }: ReportedState): Trip[] =>
  seen === null ? [] : newTrips(tripped, [...sent, ...seen]);

/**
 * The trips seen before a subscription that have lasted since. All others must be reported if they occur again. At the
 * first check, all trips count as seen.
 */
const tripsStillSeen = (tripped: readonly Trip[], { seen }: ReportedState): readonly Trip[] =>
  seen === null ? tripped : knownTrips(tripped, seen);

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
