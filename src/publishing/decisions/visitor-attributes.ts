import { LRUCache } from 'lru-cache';
import { MAX_USER_AGENT } from '../../common/limits';
import { countryIn } from '../../common/text/countries';
import { cutCopy } from '../../common/text/strings';
import { normalized } from '../../resources/pages/page-matching';
import { attributeKey, ATTRIBUTES } from '../attribute-names';
import type { Attributes } from '../evaluation';
import { Agent, agentOf } from '../user-agent';

/** Visitor data from which attributes are derived. */
export interface VisitorFacts {
  userAgent?: string;
  locale?: string;
  country?: string;
  url?: string;
  referrer?: string;
}

const MAX_CACHE_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES = 300;
/** Cache of parsed user agents: few are common, and parsing one takes longer than a decision. */
const agents = new LRUCache<string, Agent>({
  maxSize: MAX_CACHE_BYTES,
  sizeCalculation: (_, userAgent) => ENTRY_BYTES + 2 * userAgent.length,
});

/** The attributes for conditions, with the same values as in the snippet. */
export function attributesFrom({ userAgent, locale, country, url, referrer }: VisitorFacts): Attributes {
  return {
    ...(userAgent === undefined ? {} : knownAgent(userAgent)),
    ...(locale === undefined ? {} : { [ATTRIBUTES.language]: locale }),
    ...countryAttribute(country),
    ...(url === undefined ? {} : addressAttributes(url)),
    ...(referrer === undefined ? {} : { [ATTRIBUTES.referrer]: normalized(referrer) }),
  };
}

/** Texts that are not country codes are ignored. */
function countryAttribute(text: string | undefined): Attributes {
  const country = countryIn(text ?? '');
  return country === null ? {} : { [ATTRIBUTES.country]: country };
}

function knownAgent(given: string): Agent {
  const userAgent = cutCopy(given, MAX_USER_AGENT);
  const known = agents.get(userAgent);
  if (known !== undefined) {
    return known;
  }
  const agent = agentOf(userAgent);
  agents.set(userAgent, agent);
  return agent;
}

/** For duplicate parameters, the first one is used. The object has no prototype. */
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
