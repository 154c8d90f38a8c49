/**
 * The outcomes of messages, named as in the receipt. Duplicates and events from excluded visitors are recorded as
 * accepted and are told apart only when the list is read.
 */
export const OUTCOMES = ['accepted', 'duplicate', 'excluded', 'ignored', 'rejected', 'refused'] as const;

export type Outcome = (typeof OUTCOMES)[number];
