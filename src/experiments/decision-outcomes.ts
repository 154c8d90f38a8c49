/* A separate file, because the MCP program lists the outcomes and does not include the application. */

export const OUTCOMES = ['ship', 'revert', 'inconclusive', 'invalid'] as const;

export type Outcome = (typeof OUTCOMES)[number];
