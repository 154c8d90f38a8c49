import Bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { DEVICE_TYPES, deviceCode, DeviceType } from './device-types';

interface Agent {
  device: number;
  isBot: boolean;
}

const MAX_LENGTH = 1_000;
const OTHER: Agent = { device: deviceCode('other'), isBot: false };

/** The same few user agents come again and again, and reading one takes as long as storing several events. */
const agents = new LRUCache<string, Agent>({ max: 5_000 });

const deviceNamed = (name: string | null | undefined): number | null => {
  const code = DEVICE_TYPES.indexOf(name as DeviceType);
  return code === -1 ? null : code;
};

function agentOf(userAgent: string): Agent {
  const text = userAgent.slice(0, MAX_LENGTH);
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
 * How a device is stored: the type that the client names, otherwise the one of its user agent.
 * @returns the place in `DEVICE_TYPES`
 */
export const deviceOf = (type: string | null | undefined, userAgent: string): number =>
  deviceNamed(type) ?? agentOf(userAgent).device;

export const isBotAgent = (userAgent: string): boolean => agentOf(userAgent).isBot;
