import { v7 as newId } from 'uuid';
import { MAX_GIVEN_USER_AGENT, MAX_LOCALE } from '../../common/limits';
import { ID_SCHEMA, type JsonSchema, optionalText } from '../../common/validation/json-schema';
import { MAX_DEPTH } from '../../common/validation/values';
import { GIVEN_VISITOR_ID } from '../../events/visitors';
import { ATTRIBUTES } from '../attribute-names';
import type { Attributes } from '../evaluation';
import { attributesFrom } from './visitor-attributes';

/** The `user` of a request: of decisions and of conversions. */
export interface UserBody {
  id?: number | string | null;
  bucketing?: Record<string, number | string> | null;
  device?: { userAgent?: string | null } | null;
  locale?: string | null;
  country?: string | null;
  attributes?: Attributes | null;
}

/** The variation that a visitor has in each experiment, by id. */
export type Bucketing = ReadonlyMap<number, number>;

export interface Visitor {
  id: string;
  bucketing: Bucketing;
  attributes: Attributes;
  /** For the results by device. */
  device: { type?: string; userAgent: string };
}

const MAX_BUCKETING = 1_000;

const BUCKETING = {
  type: ['object', 'null'],
  description: 'Variation ids by experiment id, from an earlier response.',
  propertyNames: { format: 'id' },
  additionalProperties: {
    ...ID_SCHEMA,
    title: 'entry',
    'x-message': 'must have the id of an experiment as its name and that of a variation as its value',
  },
  maxProperties: MAX_BUCKETING,
  'x-message': 'must be an object: the id of a variation for each id of an experiment',
} as const satisfies JsonSchema;

/** The `user` of a request. */
export const USER = {
  type: ['object', 'null'],
  description: 'The visitor.',
  additionalProperties: false,
  properties: {
    id: {
      ...GIVEN_VISITOR_ID,
      type: [...GIVEN_VISITOR_ID.type, 'null'],
      description:
        'Id of the visitor, 1 to 64 printable ASCII characters; a number counts as its digits. Use the same id everywhere. If it is missing, the server creates a UUIDv7.',
    },
    bucketing: BUCKETING,
    device: {
      type: ['object', 'null'],
      description: "The visitor's device.",
      additionalProperties: false,
      properties: {
        userAgent: {
          ...optionalText(MAX_GIVEN_USER_AGENT),
          description:
            'User agent of the visitor, for device type, browser and operating system. (The request header is that of your server.)',
        },
      },
    },
    locale: {
      ...optionalText(MAX_LOCALE),
      description: 'BCP 47 tag, for conditions on the language.',
      example: 'de-CH',
    },
    country: {
      ...optionalText(MAX_LOCALE),
      description:
        'ISO 3166-1 alpha-2 code of the country of the visitor, for conditions on it. Other texts count as no country.',
      example: 'CH',
    },
    attributes: {
      type: ['object', 'null'],
      description: 'Attributes for conditions, by name. They take precedence over derived attributes.',
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
    bucketing: new Map(
      Object.entries(user.bucketing ?? {}).map(([key, value]) => [Number(key), Number(value)]),
    ),
    attributes,
    device: { ...(typeof type === 'string' ? { type } : {}), userAgent: userAgent ?? '' },
  };
}
