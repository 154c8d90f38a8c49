import { InternallyUnavailableError } from '../common/errors/api-errors';

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
  'The events of the main database are still moving to ClickHouse. Results stay as they are, and events cannot be read, until events:move has finished.';

/** The events cannot be moved, or not yet; the message says what to do. */
export class EventMoveRefusedError extends Error {}
