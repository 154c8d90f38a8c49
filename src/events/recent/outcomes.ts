/**
 * The outcome of a message, in the words of the receipt. Of accepted messages, duplicates and events of excluded
 * visitors are told apart when the list is read.
 */
export const OUTCOMES = ['accepted', 'duplicate', 'excluded', 'ignored', 'rejected', 'refused'] as const;

export type Outcome = (typeof OUTCOMES)[number];
