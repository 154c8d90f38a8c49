import { Injectable } from '@nestjs/common';
import { BackgroundWorker } from '../../common/background-worker';
import { DAY_MICROS, type Micros, nowMicros } from '../../common/time/clock';
import { Config } from '../../config/config';
import { Database, Tx } from '../../database/database';
import { deleteInSteps } from '../../database/stepwise-deletes';
import { ProjectVersionsStore } from '../../projects/project-versions.store';
import { Attribution } from '../attribution-steps';
import { CellStore, UnusedCells } from '../cells.store';
import { DeletedVisitorStore } from '../deletions/deleted-visitors.store';
import type { VisitorKey } from '../event.store';
import { EventRemoval } from '../event-log';
import { abandonedCells, ResultStates } from '../result-states.store';
import { RemovalLimit, removalLimit } from './removal-limit';
import { DueProject, RetentionStore } from './retention.store';

/**
 * Removes events that are older than the project's retention period and can no longer change a result. Once a day, a
 * pass goes through all visitors in small transactions. A pass can stop at any time, and several processes can work on
 * the same pass.
 */
@Injectable()
export class RetentionService {
  /** The attribution before the next pass: when it began, and the last visitor so far. */
  private attributing: { since: Micros; after: VisitorKey | null } | null = null;

  constructor(
    private readonly database: Database,
    private readonly versions: ProjectVersionsStore,
    private readonly store: RetentionStore,
    private readonly removal: EventRemoval,
    private readonly attribution: Attribution,
    private readonly states: ResultStates,
    private readonly cells: CellStore,
    private readonly deleted: DeletedVisitorStore,
  ) {}

  /** @returns whether there was anything to do */
  async step(): Promise<boolean> {
    const due = await this.store.nextDue(this.database.read);
    if (due?.isUnderWay === false) {
      await this.begin(due);
      return true;
    }
    this.attributing = null;
    if (due === null) {
      return this.removal.carryOut();
    }
    await this.goOn(due);
    return true;
  }

  /** Deletes expired ids of deleted visitors. */
  forgetExpired(): Promise<void> {
    return deleteInSteps(this.database, this.deleted.expired());
  }

  /**
   * Attributes the next events, and begins a pass after the last of them: final results must include all their events
   * before any event is removed.
   */
  private async begin(due: DueProject): Promise<void> {
    this.attributing ??= { since: nowMicros(), after: null };
    const { since, after } = this.attributing;
    const last = await this.attribution.waitingStep(after);
    if (last !== null) {
      this.attributing = { since, after: last };
      return;
    }
    await this.database.transaction((tx) => this.store.begin(tx, due, since));
    this.attributing = null;
  }

  private async goOn(due: DueProject): Promise<void> {
    await this.removal.ready();
    const abandoned = await this.database.transaction((tx) => this.remove(tx, due), due.projectId);
    await this.cells.removeUnused(abandoned);
  }

  /**
   * Removes the next visitors' old events. Locks the project version, so no experiment can start or be unarchived, and
   * no import can add events.
   * @returns the cells of cancelled rebuilds
   */
  private async remove(tx: Tx, { projectId }: DueProject): Promise<UnusedCells[]> {
    const version = await this.versions.lock(tx, projectId);
    if (version === null || !(await this.versions.holdVersion(tx, projectId, version))) {
      return [];
    }
    const pass = await this.store.lock(tx, projectId);
    if (pass === null) {
      return [];
    }
    if ((await this.store.daysOf(tx, projectId)) !== pass.days) {
      await this.store.finish(tx, projectId, nowMicros());
      return [];
    }
    await this.removal.hold(tx);
    const experiments = await this.store.experiments(tx, projectId);
    const limit = removalLimit(experiments, pass.days, pass.attributedAt);
    const abandoned = await this.note(tx, limit);
    const to = await this.removal.removeOlder(tx, projectId, pass.visitedTo, limit.before);
    await (to === null
      ? this.store.finish(tx, projectId, nowMicros() + DAY_MICROS)
      : this.store.advance(tx, projectId, to));
    return abandoned;
  }

  /**
   * Records which experiments lose events. The cells of these experiments no longer change, so a running rebuild is
   * cancelled.
   * @returns the rebuild's cells
   */
  private async note(tx: Tx, { losing }: RemovalLimit): Promise<UnusedCells[]> {
    const until = new Map(losing.map((each) => [each.id, each.until]));
    const abandoned: UnusedCells[] = [];
    for (const state of await this.states.lock(tx, [...until.keys()])) {
      const { experimentId, eventsRemovedUntil: known } = state;
      const removed = until.get(experimentId) ?? 0;
      if (known === null || known < removed) {
        abandoned.push(...abandonedCells(state));
        await this.states.noteRemoval(tx, experimentId, removed);
      }
    }
    return abandoned;
  }
}

/** Pause between steps, to let other transactions run. */
const PAUSE_MS = 20;
/** Pause when there is nothing to remove. */
const REST_MS = 60_000;

/** Removes old events. */
@Injectable()
export class RetentionWorker extends BackgroundWorker {
  constructor(
    config: Config,
    private readonly retention: RetentionService,
  ) {
    super(config, 'Old events could not be removed; this will be retried');
  }

  protected async step(): Promise<number> {
    if (await this.retention.step()) {
      return PAUSE_MS;
    }
    await this.retention.forgetExpired();
    return REST_MS;
  }
}
