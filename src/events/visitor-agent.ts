import { isBotAgent } from './devices';

export const SNIPPET = 'gosset.js';

/** Libraries that run in the visitor's browser, so that the user agent of the request is the visitor's. */
const BROWSER_LIBRARIES: readonly unknown[] = [
  SNIPPET,
  'analytics.js',
  '@segment/analytics-next',
  'RudderLabs JavaScript SDK',
];

interface AgentContext {
  userAgent?: unknown;
  library?: { name?: unknown } | null;
}

/**
 * Was a message sent by a bot? The user agent of a back end does not describe the visitor.
 * @param context of the message
 * @param requestAgent the user agent of the request
 */
export function isFromBot(context: AgentContext | null | undefined, requestAgent: string): boolean {
  const isFromBrowser = BROWSER_LIBRARIES.includes(context?.library?.name);
  const agent = context?.userAgent ?? (isFromBrowser ? requestAgent : '');
  return typeof agent === 'string' && isBotAgent(agent);
}
