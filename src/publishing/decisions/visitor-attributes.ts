import { LRUCache } from 'lru-cache';
import { attributeKey, ATTRIBUTES } from '../attribute-names';
import type { Attributes } from '../evaluation';
import { Agent, agentOf } from '../user-agent';

/** What a caller may tell of its visitor in other words than those of conditions. */
export interface VisitorFacts {
  userAgent?: string;
  locale?: string;
  url?: string;
  referrer?: string;
}

const MAX_AGENTS = 5_000;
/** The same few user agents come again and again, and reading one takes longer than deciding. */
const agents = new LRUCache<string, Agent>({ max: MAX_AGENTS });

/** The attributes that conditions ask for, as the snippet would find them. */
export function attributesFrom({ userAgent, locale, url, referrer }: VisitorFacts): Attributes {
  return {
    ...(userAgent === undefined ? {} : knownAgent(userAgent)),
    ...(locale === undefined ? {} : { [ATTRIBUTES.language]: locale }),
    ...(url === undefined ? {} : addressAttributes(url)),
    ...(referrer === undefined ? {} : { [ATTRIBUTES.referrer]: referrer }),
  };
}

function knownAgent(userAgent: string): Agent {
  const known = agents.get(userAgent);
  if (known !== undefined) {
    return known;
  }
  const agent = agentOf(userAgent);
  agents.set(userAgent, agent);
  return agent;
}

/** Of parameters with the same name the first one counts; nothing is inherited. */
function addressAttributes(text: string): Attributes {
  if (!URL.canParse(text)) {
    return { [ATTRIBUTES.url]: text };
  }
  const { href, searchParams } = new URL(text);
  const query = Object.create(null) as Record<string, string>;
  for (const [name, value] of searchParams) {
    query[attributeKey(name)] ??= value;
  }
  return { [ATTRIBUTES.url]: href, [ATTRIBUTES.query]: query };
}
