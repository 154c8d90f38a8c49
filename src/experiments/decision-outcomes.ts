/* Apart from the rest of decisions, because the program of assistants lists them and goes without the application. */

export const OUTCOMES = ['ship', 'revert', 'inconclusive', 'invalid'] as const;

export type Outcome = (typeof OUTCOMES)[number];
