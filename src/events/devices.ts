import Bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { MAX_USER_AGENT } from '../common/limits';
import { cutCopy } from '../common/text/strings';
import { DEVICE_TYPES, deviceCode, DeviceType } from './device-types';
import type { Sending } from './recent/sending';

interface Agent {
  device: number;
  isBot: boolean;
}

const MAX_CACHE_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES = 200;
const OTHER: Agent = { device: deviceCode('other'), isBot: false };

/**
 * Cache of parsed user agents. A few user agents are very common, and parsing one takes as long as storing several
 * events.
 */
const agents = new LRUCache<string, Agent>({
  maxSize: MAX_CACHE_BYTES,
  sizeCalculation: (_, userAgent) => ENTRY_BYTES + 2 * userAgent.length,
});

const deviceNamed = (name: string | null | undefined): number | null => {
  const code = DEVICE_TYPES.indexOf(name as DeviceType);
  return code === -1 ? null : code;
};

function agentOf(userAgent: string): Agent {
  const text = cutCopy(userAgent, MAX_USER_AGENT);
  const known = agents.get(text);
  if (known !== undefined || text === '') {
    return known ?? OTHER;
  }
  const { type } = Bowser.parse(text).platform;
  const agent = { device: deviceNamed(type) ?? OTHER.device, isBot: isbot(text) };
  agents.set(text, agent);
  return agent;
}

/**
 * The device type to store: the type in the message, otherwise the type that the user agent indicates.
 * @returns the index in `DEVICE_TYPES`
 */
export const deviceOf = (type: string | null | undefined, userAgent: string): number =>
  deviceNamed(type) ?? agentOf(userAgent).device;

const isBotAgent = (userAgent: string): boolean => agentOf(userAgent).isBot;

export const SNIPPET = 'gosset.js';

/**
 * Libraries that run in the visitor's browser. Their requests have the visitor's user agent, even if a proxy on the site
 * removes the `Origin` header.
 */
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

export interface RequestAgent {
  /** User agent of the request, used for messages without a user agent. */
  userAgent: string;
  /** See `Sending`. */
  sending?: Pick<Sending, 'browserAgent'>;
}

/**
 * Whether a message was sent by a bot. Ignores a back end's user agent, because it does not describe the visitor.
 * @param context the context of the message. An empty user agent counts as missing
 */
export function isFromBot(
  context: AgentContext | null | undefined,
  { userAgent, sending }: RequestAgent,
): boolean {
  const isFromLibrary = BROWSER_LIBRARIES.includes(context?.library?.name);
  const agent = context?.userAgent || (isFromLibrary ? userAgent : sending?.browserAgent);
  return typeof agent === 'string' && isBotAgent(agent);
}
