import type { ErrorObject } from 'ajv/dist/2020';
import type { JsonSchema } from '../common/validation/json-schema';
import { schemaErrors, schemaTest } from '../common/validation/schema-check';
import { EXPOSURE } from './exposure';
import { EVENT_MESSAGE, type Rejection } from './messages';

const { properties } = EVENT_MESSAGE.properties;

/**
 * A message as `normalizeMessage` returns it. The API reference has only one spelling of each field, because client
 * generators give both spellings the same name.
 */
const NORMALIZED = {
  ...EVENT_MESSAGE,
  required: ['type', 'anonymousId', 'messageId'],
  properties: {
    ...EVENT_MESSAGE.properties,
    anonymousId: { ...EVENT_MESSAGE.properties.anonymousId, type: 'string' },
    messageId: { ...EVENT_MESSAGE.properties.messageId, type: 'string' },
    userId: {},
    originalTimestamp: {},
    properties: {
      ...properties,
      properties: {
        ...properties.properties,
        experimentId: properties.properties.experiment_id,
        variationId: properties.properties.variation_id,
      },
    },
  },
} as const satisfies JsonSchema;

const isWhole = schemaTest(NORMALIZED);
const errorsOf = schemaErrors(NORMALIZED);

const NOTHING: ReadonlySet<Rejection> = new Set();

/** Rejection reasons by invalid field. For any other invalid field, the reason is `invalid_message`. */
const REASONS: Readonly<Record<string, Rejection>> = {
  '/anonymousId': 'invalid_visitor',
  '/messageId': 'invalid_message_id',
  '/timestamp': 'invalid_timestamp',
  '/properties/value': 'invalid_value',
};
/** Fields whose rejection reason is the same for a wrong type and for an invalid value. */
const LOOSE = ['/timestamp', '/properties/value'];

/** Fields that only exposures use. */
const OF_EXPOSURES = ['experiment_id', 'experimentId', 'variation_id', 'variationId', 'phase'].map(
  (name) => `/properties/${name}`,
);

interface CheckedMessage {
  /** The message without unused fields that have a wrong type. */
  message: unknown;
  mistakes: ReadonlySet<Rejection>;
}

/**
 * Finds the schema errors of a normalized message. `resolution.ts` decides which of them apply and in which order. For
 * example, an invalid value does not matter for a goal without values.
 */
export function checkMessage(message: unknown): CheckedMessage {
  if (isWhole(message)) {
    return { message, mistakes: NOTHING };
  }
  const errors = errorsOf(message);
  const unused = errors.filter((error) => isUnused(error, Object(message) as Kind));
  return {
    message: unused.reduce((rest, error) => without(rest, error.instancePath.slice(1).split('/')), message),
    mistakes: new Set(errors.filter((error) => !unused.includes(error)).map(reasonOf)),
  };
}

interface Kind {
  type?: unknown;
  event?: unknown;
}

/** Back ends send arbitrary fields, and an event must not be lost because of a field that it does not use. */
function isUnused({ keyword, instancePath: path, data }: ErrorObject, { type, event }: Kind): boolean {
  if (keyword !== 'type') {
    return false;
  }
  // PHP encodes an empty object as an empty list.
  const isEmpty = path === '/properties' && Array.isArray(data) && data.length === 0;
  const isConversion = type === 'track' && event !== EXPOSURE;
  return (
    isEmpty ||
    path.startsWith('/context') ||
    (path === '/properties/url' && type === 'track') ||
    (OF_EXPOSURES.includes(path) && (isConversion || type === 'page'))
  );
}

function without(given: unknown, [name, ...path]: string[]): unknown {
  const { [name]: field, ...others } = given as Record<string, unknown>;
  return path.length === 0 ? others : { ...others, [name]: without(field, path) };
}

function reasonOf({ keyword, instancePath, params, data }: ErrorObject): Rejection {
  if (keyword === 'enum') {
    return 'unknown_type';
  }
  const { missingProperty } = params as { missingProperty?: string };
  const path = missingProperty === undefined ? instancePath : `${instancePath}/${missingProperty}`;
  const isWrongType = keyword === 'type' && data !== null && !LOOSE.includes(path);
  return isWrongType ? 'invalid_message' : (REASONS[path] ?? 'invalid_message');
}
