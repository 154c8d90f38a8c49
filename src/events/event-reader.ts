import type { EntityManager } from 'typeorm';
import type { EventRow } from './stored-events.store';

/** Finds the stored events of these ids, each once, sorted by id. */
export type FindEvents = (
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
) => Promise<EventRow[]>;

/** Reads stored events one by one. */
export abstract class EventReader {
  /**
   * Runs work that finds events, also within a transaction or a snapshot.
   * @param work may run several times, so it must not change anything outside of its transactions
   */
  abstract reading<T>(work: (find: FindEvents) => Promise<T>): Promise<T>;

  /** The approximate number of events of a project. */
  abstract countEvents(projectId: number): Promise<number>;

  /** The events of a project in pages, sorted by visitor and id. They are read without locks. */
  abstract pages(projectId: number): AsyncGenerator<EventRow[]>;
}
