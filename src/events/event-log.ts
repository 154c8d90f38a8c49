import type { EntityManager } from 'typeorm';
import { InternallyUnavailableError } from '../common/errors/api-errors';
import type { Micros } from '../common/time/clock';
import type { Tx } from '../database/database';
import type { ProjectEvents, Stored } from './event-writer';
import type { EventKey } from './recent/recent-events.store';
import type { EventRow } from './stored-events.store';

const UNUSABLE_RETRY_SECONDS = 30;

/** ClickHouse must not be used with this database until an operator follows the message. */
export class UnusableEventLogError extends InternallyUnavailableError {
  constructor(message: string) {
    super(UNUSABLE_RETRY_SECONDS, message);
  }
}

const MOVING_RETRY_SECONDS = 5;

/** Events are moving to ClickHouse. The operation has to wait, or this process no longer does it. */
export class EventsMovingError extends InternallyUnavailableError {
  constructor(message: string) {
    super(MOVING_RETRY_SECONDS, message);
  }
}

/** In a process that stores events in the main database. */
export const GATE_CLOSED =
  'The events of this database are in ClickHouse, or are moving there (events:move). Restart this process with EVENTS_URL.';

/** In a process that was started with `EVENTS_URL` in the meantime. */
export const CANCELLED =
  'The move of the events to ClickHouse was cancelled. Restart this process without EVENTS_URL.';

/** In a process that stores events in ClickHouse already. */
export const UNDER_WAY =
  'The events of the main database are still moving to ClickHouse. Results do not change, and events cannot be read, until events:move has finished.';

/** The events cannot be moved, or not yet; the message says what to do. */
export class EventMoveRefusedError extends Error {}

/** The first entry into an experiment, and the last event of its participants. */
export interface EventSpan {
  experimentId: number;
  first: Micros;
  last: Micros;
}

/** The first exposure of a visitor id. */
export interface FirstExposure {
  visitor_id: string;
  first: Micros;
}

export interface Appending {
  /** The transaction that relies on the definitions; by default a plain one. */
  inTransaction?: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Further writes that are committed with the events. */
  alongside?: (tx: Tx, stored: Stored) => Promise<void>;
}

/** All events have arrived whose batch was opened before this time and is not a later one. */
export interface Arrived {
  batch: number;
  before: Micros;
}

/** The storage of events. Attribution reads them separately: see `Attribution` and `RebuildCounts`. */
export abstract class EventLog {
  /**
   * Stores events and links; resolves when they are durable. Duplicates are ignored here, or at the latest in the
   * results.
   * @throws DefinitionsChangedError if the messages have to be resolved again, see `EventWriter.store`
   */
  abstract append(projects: readonly ProjectEvents[], appending?: Appending): Promise<Stored>;

  /** The ids with events after a given one, sorted. */
  abstract visitorsAfter(projectId: number, after: string, limit: number): Promise<string[]>;

  /** Those of these ids that have an exposure, sorted by id. @param experimentId null = any experiment */
  abstract firstExposures(
    projectId: number,
    experimentId: number | null,
    visitorIds: readonly string[],
  ): Promise<FirstExposure[]>;

  /** The time span of the events of these ids, for each experiment that one of them entered. */
  abstract spansOf(
    projectId: number,
    experimentId: number | null,
    visitorIds: readonly string[],
  ): Promise<EventSpan[]>;

  /** The number of events of these ids; of more than the limit, at least the limit. */
  abstract countOf(projectId: number, visitorIds: readonly string[], limit: number): Promise<number>;

  /** The times of the stored ones among these events, by `keyText`. */
  abstract storedAt(projectId: number, keys: readonly EventKey[]): Promise<ReadonlyMap<string, Micros>>;

  /**
   * Deletes the events of a project permanently, or the exposures of one of its experiments. Can be repeated.
   * @param experimentId null = all events, with the marks and exclusions of their visitors
   */
  abstract purge(projectId: number, experimentId: number | null): Promise<void>;

  /**
   * The last batch that may have events of a record that this transaction deletes, and that may arrive after `purge`.
   * 0 if there is none: events that are stored in a transaction arrive before.
   */
  lastBatch(_tx: Tx): Promise<number> {
    return Promise.resolve(0);
  }

  arrived(): Promise<Arrived> {
    return Promise.resolve({ batch: Infinity, before: Infinity });
  }

  /** Whether events are stored outside the main database. */
  readonly isApart: boolean = false;

  /** @returns why events cannot be stored; null if they can, or if only the main database fails, which has its own probe */
  problem(): Promise<string | null> {
    return Promise.resolve(null);
  }
}

/** Finds the stored events of these ids, each once, sorted by id. */
export type FindEvents = (
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
) => Promise<EventRow[]>;

/** Reads stored events one by one. */
export abstract class EventReader {
  /**
   * Runs work that finds events; allowed within a transaction or a snapshot.
   * @param work may run several times, so it must not change anything outside its transactions
   */
  abstract reading<T>(work: (find: FindEvents) => Promise<T>): Promise<T>;

  /** The approximate number of events of a project. */
  abstract countEvents(projectId: number): Promise<number>;

  /** The events of a project in pages, sorted by visitor and id. They are read without locks. */
  abstract pages(projectId: number): AsyncGenerator<EventRow[]>;
}

/** Removes events of visitors, and old events. Does not change results. */
export abstract class EventRemoval {
  /** Resolves when events may be removed; to be called before the transaction. @throws EventsMovingError while they move */
  abstract ready(): Promise<void>;

  /** Until the transaction ends, no event is attributed; otherwise one of the two transactions fails. */
  abstract hold(tx: Tx): Promise<void>;

  /** Removes the events of these ids, including unattributed ones. */
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
