import type { EntityManager } from 'typeorm';
import { InternallyUnavailableError } from '../common/errors/api-errors';
import type { Micros } from '../common/time/clock';
import type { Tx } from '../database/database';
import type { ProjectEvents, Stored } from './event-writer';
import type { EventKey } from './recent/recent-events.store';
import type { EventRow } from './stored-events.store';

const UNUSABLE_RETRY_SECONDS = 30;

/** ClickHouse must not be used with this database until an operator follows the instructions in the message. */
export class UnusableEventLogError extends InternallyUnavailableError {
  constructor(message: string) {
    super(UNUSABLE_RETRY_SECONDS, message);
  }
}

const MOVING_RETRY_SECONDS = 5;

/** Events are being moved to ClickHouse. Either the operation has to wait, or this process can no longer perform it. */
export class EventsMovingError extends InternallyUnavailableError {
  constructor(message: string) {
    super(MOVING_RETRY_SECONDS, message);
  }
}

/** Reported by a process that stores events in the main database. */
export const GATE_CLOSED =
  'The events of this database are in ClickHouse, or are being moved there (events:move). Restart this process with EVENTS_URL.';

/** Reported by a process that was started with `EVENTS_URL` during a move that has since been cancelled. */
export const CANCELLED =
  'The move of the events to ClickHouse was cancelled. Restart this process without EVENTS_URL.';

/** Reported during a move by a process that already stores events in ClickHouse. */
export const UNDER_WAY =
  'Events are still being moved from the main database to ClickHouse. Results do not change, and events cannot be read, until events:move has finished.';

/** The events cannot be moved, or cannot be moved yet. The message says what to do. */
export class EventMoveRefusedError extends Error {}

/** Times of the first entry into an experiment and of its participants' last event. */
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
  /** Runs the transaction that relies on the definitions; by default, a plain transaction. */
  inTransaction?: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Additional writes that are committed with the events. */
  alongside?: (tx: Tx, stored: Stored) => Promise<void>;
}

/** All events in batches that have an id up to `batch` and were opened before `before` have arrived. */
export interface Arrived {
  batch: number;
  before: Micros;
}

/** Storage of events. Attribution reads events separately; see `Attribution` and `RebuildCounts`. */
export abstract class EventLog {
  /**
   * Stores events and links; resolves when they are durable. Duplicates are ignored either when they are stored or when
   * results are computed.
   * @throws DefinitionsChangedError if the messages have to be resolved again; see `EventWriter.store`
   */
  abstract append(projects: readonly ProjectEvents[], appending?: Appending): Promise<Stored>;

  /** Returns the next ids that have events, sorted, starting after a given id. */
  abstract visitorsAfter(projectId: number, after: string, limit: number): Promise<string[]>;

  /**
   * The first exposures for these ids, sorted by id; omits ids without an exposure.
   * @param experimentId null = any experiment
   */
  abstract firstExposures(
    projectId: number,
    experimentId: number | null,
    visitorIds: readonly string[],
  ): Promise<FirstExposure[]>;

  /** The time span of the events for these ids, for each experiment that one of the ids entered. */
  abstract spansOf(
    projectId: number,
    experimentId: number | null,
    visitorIds: readonly string[],
  ): Promise<EventSpan[]>;

  /** The number of events for these ids. Counting may stop at the limit. */
  abstract countOf(projectId: number, visitorIds: readonly string[], limit: number): Promise<number>;

  /** The times of these events, by `keyText`. Omits events that are not stored. */
  abstract storedAt(projectId: number, keys: readonly EventKey[]): Promise<ReadonlyMap<string, Micros>>;

  /**
   * Permanently deletes a project's events, or the exposures of one of its experiments. Safe to repeat.
   * @param experimentId null = all events
   */
  abstract purge(projectId: number, experimentId: number | null): Promise<void>;

  /**
   * The last batch whose events may arrive after `purge` and may belong to a record that this transaction deletes. 0 by
   * default, because events that are stored in a transaction always arrive before `purge`.
   */
  lastBatch(_tx: Tx): Promise<number> {
    return Promise.resolve(0);
  }

  arrived(): Promise<Arrived> {
    return Promise.resolve({ batch: Infinity, before: Infinity });
  }

  /** Whether events are stored outside the main database. */
  readonly isApart: boolean = false;

  /**
   * @returns why events cannot be stored; null if they can. Also null if only the main database fails, because it has
   * its own probe
   */
  problem(): Promise<string | null> {
    return Promise.resolve(null);
  }
}

/** Finds the stored events for these ids, each event once, sorted by id. */
export type FindEvents = (
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
) => Promise<EventRow[]>;

/** Reads individual stored events. */
export abstract class EventReader {
  /**
   * Runs work that finds events, for example within a transaction or a snapshot.
   * @param work may run several times, so it must not change anything outside its transactions
   */
  abstract reading<T>(work: (find: FindEvents) => Promise<T>): Promise<T>;

  /** The approximate number of events in a project. */
  abstract countEvents(projectId: number): Promise<number>;

  /** The events in a project, page by page, sorted by visitor id and event id. They are read without locks. */
  abstract pages(projectId: number): AsyncGenerator<EventRow[]>;
}

/** Removes visitors' events and old events. Does not change results. */
export abstract class EventRemoval {
  /**
   * Resolves when events can be removed. Call it before the transaction.
   * @throws EventsMovingError while events are being moved
   */
  abstract ready(): Promise<void>;

  /** Prevents attribution until the transaction ends, or causes either this transaction or the attribution to fail. */
  abstract hold(tx: Tx): Promise<void>;

  /** Removes the events for these ids, including unattributed ones. */
  abstract removeVisitors(tx: Tx, projectId: number, visitorIds: readonly string[]): Promise<void>;

  /**
   * Removes attributed events that happened before a given time, for the next visitors.
   * @param after the last visitor of the previous step; empty starts with the first
   * @returns the last visitor of this step; null if there are no more
   */
  abstract removeOlder(tx: Tx, projectId: number, after: string, before: Micros): Promise<string | null>;

  /**
   * Deletes the next events whose removal has been committed. Nothing reads these events any more. Safe to repeat.
   * @returns whether there was anything to do
   */
  abstract carryOut(): Promise<boolean>;
}
