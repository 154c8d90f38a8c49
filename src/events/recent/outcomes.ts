/**
 * The outcome of a message, in the words of the receipt. Duplicates and events of excluded visitors are distinguished
 * among the accepted messages when the list is read.
 */
export const OUTCOMES = ['accepted', 'duplicate', 'excluded', 'ignored', 'rejected', 'refused'] as const;

export type Outcome = (typeof OUTCOMES)[number];
