/** The events cannot be moved, or not yet; the message says what to do. */
export class EventMoveRefusedError extends Error {}
