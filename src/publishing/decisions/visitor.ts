import { LRUCache } from 'lru-cache';
import { v7 as newId } from 'uuid';
import { MAX_GIVEN_USER_AGENT, MAX_LOCALE, MAX_USER_AGENT } from '../../common/limits';
import { countryIn } from '../../common/text/countries';
import { cutCopy } from '../../common/text/strings';
import { ID_SCHEMA, type JsonSchema, optionalText } from '../../common/validation/json-schema';
import { MAX_DEPTH } from '../../common/validation/values';
import { GIVEN_VISITOR_ID } from '../../events/visitors';
import { normalized } from '../../resources/pages/page-matching';
import { attributeKey, ATTRIBUTES } from '../attribute-names';
import type { Attributes } from '../evaluation';
import { Agent, agentOf } from '../user-agent';

/** Visitor data from which attributes are derived. */
interface VisitorFacts {
  userAgent?: string;
  locale?: string;
  country?: string;
  url?: string;
  referrer?: string;
}

const MAX_CACHE_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES = 300;
/**
 * Cache of parsed user agents, because only a few user agents are common, and parsing one takes longer than making a
 * decision.
 */
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

/** The attribute for a country code. Strings that are not country codes are ignored. */
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

/**
 * The attributes of a page URL. If a query parameter is repeated, its first value is used. The `query` object has no
 * prototype.
 */
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

/** The `user` in a decision or conversion request. */
export interface UserBody {
  id?: number | string | null;
  bucketing?: Record<string, number | string> | null;
  phases?: Record<string, number | string> | null;
  device?: { userAgent?: string | null } | null;
  locale?: string | null;
  country?: string | null;
  attributes?: Attributes | null;
}

/** The id of the visitor's variation in each experiment, by experiment id. */
export type Bucketing = ReadonlyMap<number, number>;

/** The phase in which the visitor's variation was assigned, by experiment id. */
export type Phases = ReadonlyMap<number, number>;

export interface Visitor {
  id: string;
  bucketing: Bucketing;
  phases: Phases;
  attributes: Attributes;
  /** The device type, for results by device. */
  device: { type?: string; userAgent: string };
}

/** The maximum number of `bucketing` and of `phases` entries, in requests and in responses. */
export const MAX_BUCKETING = 1_000;

/** The schema of numbers by experiment id. @param noun the noun for a number, with its article */
const byExperiment = (noun: string, description: string) =>
  ({
    type: ['object', 'null'],
    description,
    propertyNames: { format: 'id' },
    additionalProperties: {
      ...ID_SCHEMA,
      title: 'entry',
      'x-message': `must map an experiment id to ${noun}`,
    },
    maxProperties: MAX_BUCKETING,
    'x-message': `must be an object that maps experiment ids to ${noun.replace(/^an? /, '')}s`,
  }) as const satisfies JsonSchema;

/** The schema of `user` in a request. */
export const USER = {
  type: ['object', 'null'],
  description: 'The visitor.',
  additionalProperties: false,
  properties: {
    id: {
      ...GIVEN_VISITOR_ID,
      type: [...GIVEN_VISITOR_ID.type, 'null'],
      description:
        'Id of the visitor, 1 to 64 printable ASCII characters; a number is converted to a string. Use the same id everywhere. If it is missing, the server creates a UUIDv7.',
    },
    bucketing: byExperiment('a variation id', 'Variation ids by experiment id, from an earlier response.'),
    phases: byExperiment(
      'a phase',
      'The phases in which these variations were assigned, by experiment id, from an earlier response.',
    ),
    device: {
      type: ['object', 'null'],
      description: "The visitor's device.",
      additionalProperties: false,
      properties: {
        userAgent: {
          ...optionalText(MAX_GIVEN_USER_AGENT),
          description:
            'User agent of the visitor, for device type, browser and operating system, and to exclude bots: `/v1/decide` does not record their exposures (`recorded` is false), and `/v1/track` rejects their conversions with 422. (The request header is that of your server.)',
        },
      },
    },
    locale: {
      ...optionalText(MAX_LOCALE),
      description: 'BCP 47 tag, for language conditions.',
      example: 'de-CH',
    },
    country: {
      ...optionalText(MAX_LOCALE),
      description:
        "ISO 3166-1 alpha-2 code of the visitor's country, for country conditions. Other values are ignored.",
      example: 'CH',
    },
    attributes: {
      type: ['object', 'null'],
      description:
        'Attributes for conditions, by name. They take precedence over those that the server derives: `deviceType`, `browser`, `os`, `language`, `url`, `referrer`, `country` and `query`. Whether the visitor is new (`visitor`) is not derived.',
      additionalProperties: true,
      'x-maxDepth': MAX_DEPTH,
    },
  },
} as const satisfies JsonSchema;

/**
 * The visitor of a validated `user`. A visitor without an id gets a new one.
 * @param view the visitor's page
 */
export function visitorFrom(user: UserBody, view: { url?: string; referrer?: string } = {}): Visitor {
  const userAgent = user.device?.userAgent ?? undefined;
  const facts = { ...view, userAgent, locale: user.locale ?? undefined, country: user.country ?? undefined };
  const attributes = { ...attributesFrom(facts), ...user.attributes };
  const type = attributes[ATTRIBUTES.device];
  return {
    id: String(user.id ?? newId()),
    bucketing: numbersIn(user.bucketing),
    phases: numbersIn(user.phases),
    attributes,
    device: { ...(typeof type === 'string' ? { type } : {}), userAgent: userAgent ?? '' },
  };
}

const numbersIn = (given: UserBody['bucketing']): Map<number, number> =>
  new Map(Object.entries(given ?? {}).map(([key, value]) => [Number(key), Number(value)]));
