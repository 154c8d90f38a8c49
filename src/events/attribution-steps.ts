import type { Tx } from '../database/database';
import type { CellChange } from './cell-changes';
import type { ResultState, Span } from './result-states.store';

export interface Visitor {
  project_id: number;
  visitor_id: string;
}

/** Updates results with new events. */
export abstract class Attribution {
  /** Milliseconds to rest when there is nothing to do. */
  abstract readonly restMs: number;

  /**
   * Attributes a batch of new events in one transaction. Several processes may do this at the same time.
   * @param after where the previous step ended; null starts from the beginning
   * @returns where the next step begins; null if there is nothing more to do at the moment
   */
  abstract step(after: Visitor | null): Promise<Visitor | null>;

  /** Attributes all stored events, and waits for those that another process is attributing. */
  abstract drain(): Promise<void>;
}

/** The changes of an experiment's cells, and the time span of its events with them. */
export interface CountedChanges {
  cells: CellChange[];
  span: Span;
}

/** The next visitors of a rebuild. */
export interface NextVisitors {
  /** Number of visitors. */
  visitors: number;
  /** Id of the last of them; null if there is none. */
  to: string | null;
  /** Their changes, by experiment. */
  counted: ReadonlyMap<number, CountedChanges>;
}

/** Counts attributed events for rebuilds. */
export abstract class RebuildCounts {
  /** The number of visitors of projects, for the progress of a rebuild. */
  abstract countVisitors(projectIds: readonly number[]): Promise<number>;

  /** Runs the transaction of a rebuild, in which `next` may be called. */
  abstract transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;

  /**
   * The next visitors by id, with all their linked ids. Visitors that have one of these ids, but another canonical id,
   * belong to that one. The worker adds the events that are not attributed yet.
   * @param from the last visitor of the batch before
   * @param states with a rebuild each
   */
  abstract next(
    tx: Tx,
    projectId: number,
    from: string,
    states: readonly ResultState[],
  ): Promise<NextVisitors>;
}
