import { attributeKey, ATTRIBUTES } from '../attribute-names';
import type { Attributes } from '../evaluation';
import type { Agent } from '../user-agent';
import { cookieValues } from './text-stores';

/**
 * Parses a user agent. Returns an empty object in the runtime for projects that have no conditions on devices, browsers
 * or operating systems.
 */
export type AgentReader = (userAgent: string) => Agent;

/**
 * The visitor attributes for audience conditions.
 * @param given attributes set by the page. They take precedence over detected ones
 * @param condition evaluates a condition in JavaScript; called only when its result is needed
 */
export function attributesOf(
  given: Attributes,
  isNew: boolean,
  { readAgent, country }: { readAgent: AgentReader; country: string | null },
  condition: (index: number) => boolean,
): Attributes {
  return {
    [ATTRIBUTES.language]: navigator.language,
    [ATTRIBUTES.visitor]: isNew ? 'new' : 'returning',
    [ATTRIBUTES.url]: location.href,
    [ATTRIBUTES.referrer]: document.referrer,
    [ATTRIBUTES.query]: byName([...new URLSearchParams(location.search)]),
    ...readAgent(navigator.userAgent),
    ...(country !== null && { [ATTRIBUTES.country]: country }),
    ...given,
    [ATTRIBUTES.cookie]: cookies(),
    [ATTRIBUTES.javascript]: new Proxy({}, { has: () => true, get: (_, index) => condition(Number(index)) }),
  };
}

/**
 * Values by name. If a name is repeated, its first value is used. The object has no prototype, so a name such as
 * `constructor` has no value unless it is given.
 */
function byName(values: [name: string, value: string][]): Record<string, string> {
  const result = Object.create(null) as Record<string, string>;
  for (const [name, value] of values) {
    result[attributeKey(name)] ??= value;
  }
  return result;
}

/** The cookies by name; empty on sandboxed pages, which have no access to cookies. */
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
