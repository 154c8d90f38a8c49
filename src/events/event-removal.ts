import type { Micros } from '../common/time/clock';
import type { Tx } from '../database/database';

/** Removes events of visitors, and old events. Does not change results. */
export abstract class EventRemoval {
  /** Resolves when events may be removed; to be called before the transaction. @throws EventsMovingError while they move */
  abstract ready(): Promise<void>;

  /** Until the transaction ends, no event is attributed; otherwise one of the two transactions fails. */
  abstract hold(tx: Tx): Promise<void>;

  /** Removes the events of these ids, also those that are not attributed yet. */
  abstract removeVisitors(tx: Tx, projectId: number, visitorIds: readonly string[]): Promise<void>;

  /**
   * Removes attributed events that happened before a moment, of the next visitors.
   * @param after the last visitor of the step before; empty starts with the first
   * @returns the last visitor of this step; null if there are no more
   */
  abstract removeOlder(tx: Tx, projectId: number, after: string, before: Micros): Promise<string | null>;

  /**
   * Deletes the next events whose removal is committed. Nothing has read them since that transaction. Can be repeated.
   * @returns whether there was anything to do
   */
  abstract carryOut(): Promise<boolean>;
}
