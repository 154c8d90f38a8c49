/*
 * These are in a separate file because the MCP program needs the list of outcomes but does not include the application.
 */

export const OUTCOMES = ['ship', 'revert', 'inconclusive', 'invalid'] as const;

export type Outcome = (typeof OUTCOMES)[number];
