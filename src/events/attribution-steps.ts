import type { Tx } from '../database/database';
import type { CellChange } from './cell-changes';
import type { VisitorKey } from './event.store';
import type { ResultState, Span } from './result-states.store';

/** Adds new events to the results. */
export abstract class Attribution {
  /** Milliseconds to wait before the next step when there is nothing to do. */
  abstract readonly restMs: number;

  /**
   * Attributes a batch of new events in one transaction. Several processes can do this at the same time.
   * @param after where the previous step ended; null starts from the beginning
   * @returns where the next step begins; null if there is nothing more to do for now
   */
  abstract step(after: VisitorKey | null): Promise<VisitorKey | null>;

  /** Like `step`, but waits for events that another process is attributing. */
  abstract waitingStep(after: VisitorKey | null): Promise<VisitorKey | null>;

  /** Attributes all stored events in one go. In a server, take one `waitingStep` at a time. */
  async drain(): Promise<void> {
    let after: VisitorKey | null = null;
    do {
      after = await this.waitingStep(after);
    } while (after !== null);
  }
}

/** Changes to an experiment's cells, and the time span of its counted events, which the changes can only extend. */
export interface CountedChanges {
  cells: CellChange[];
  span: Span;
}

/** The changes that visitors make to an experiment's cells. */
export interface VisitorsChange extends CountedChanges {
  /** Whether the first or the last event in the span no longer counts. Only a recount finds the new end. */
  isShorter: boolean;
}

/** The next visitors of a rebuild. */
export interface NextVisitors {
  /** Number of visitors. */
  visitors: number;
  /** Id of the last visitor; null if there are no visitors. */
  to: string | null;
  /** Cell changes from these visitors, by experiment. */
  counted: ReadonlyMap<number, CountedChanges>;
}

/** Counts attributed events for rebuilds. */
export abstract class RebuildCounts {
  /** Counts the visitors of these projects, so that the progress of a rebuild can be shown. */
  abstract countVisitors(projectIds: readonly number[]): Promise<number>;

  /** Runs a rebuild transaction. Call `next` only inside it. */
  abstract transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;

  /**
   * Counts the next visitors in id order, with all their linked ids. A visitor is counted with the batch that contains
   * its canonical id. Events that are not attributed yet are left to the attribution worker.
   * @param from the last visitor of the previous batch
   * @param states result states of the experiments to count; each must have a rebuild
   */
  abstract next(
    tx: Tx,
    projectId: number,
    from: string,
    states: readonly ResultState[],
  ): Promise<NextVisitors>;
}
