import { attributeKey, ATTRIBUTES } from '../attribute-names';
import type { Attributes } from '../evaluation';
import type { Agent } from '../user-agent';
import { cookieValues } from './text-stores';

/** Reads a user agent; runtimes without conditions on devices, browsers and systems have none that does. */
export type AgentReader = (userAgent: string) => Agent;

/**
 * What the conditions of audiences are compared with.
 * @param given set by the page; more trusted than what we find out, except where the page cannot know better
 * @param condition tells the result of a condition in JavaScript, which is not asked for needlessly
 */
export function attributesOf(
  given: Attributes,
  isNew: boolean,
  readAgent: AgentReader,
  condition: (index: number) => boolean,
): Attributes {
  return {
    [ATTRIBUTES.language]: navigator.language,
    [ATTRIBUTES.visitor]: isNew ? 'new' : 'returning',
    [ATTRIBUTES.url]: location.href,
    [ATTRIBUTES.referrer]: document.referrer,
    [ATTRIBUTES.query]: byName([...new URLSearchParams(location.search)]),
    ...readAgent(navigator.userAgent),
    ...given,
    [ATTRIBUTES.cookie]: cookies(),
    [ATTRIBUTES.javascript]: new Proxy({}, { has: () => true, get: (_, index) => condition(Number(index)) }),
  };
}

/** Of values with the same name the first one counts; nothing is inherited. */
function byName(values: [name: string, value: string][]): Record<string, string> {
  const result = Object.create(null) as Record<string, string>;
  for (const [name, value] of values) {
    result[attributeKey(name)] ??= value;
  }
  return result;
}

/** Pages in a sandbox have no cookies. */
function cookies(): Record<string, string> {
  try {
    return byName(cookieValues().map(([name, value]) => [name, decoded(value)]));
  } catch {
    return {};
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
