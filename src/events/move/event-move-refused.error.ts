/** Why the events are not moved, or not yet; the message says what to do. */
export class EventMoveRefusedError extends Error {}
