import { v7 as newId } from 'uuid';
import { idOf, isObject } from '../../common/validation/values';
import type { JsonSchema } from '../../common/validation/json-schema';
import { exposureId } from '../../events/event-ids';
import { LinkingMessage } from '../../events/links/link-request';
import { EXPERIMENT_KEY, EXPOSURE } from '../../events/exposure';

/* Converts events from the GrowthBook SDK tracking plugin to batch messages. */

/** Checks only the outline of an event. Full validation follows after the event has been converted to a message. */
export const PLUGIN_EVENT = {
  type: 'object',
  description: 'An event of the tracking plugin. Unknown fields are ignored.',
  required: ['event_name'],
  properties: {
    event_name: { type: 'string', description: 'Name of the event.' },
    properties_json: { type: 'object', additionalProperties: true, description: 'Properties of the event.' },
    url: { type: 'string', description: 'URL of the page.' },
    device_id: { type: ['string', 'integer', 'null'], description: 'Id of the visitor.' },
    user_id: {
      type: ['string', 'integer', 'null'],
      description: 'Id of the visitor if `device_id` is missing.',
    },
  },
  additionalProperties: true,
} as const satisfies JsonSchema;

interface SdkEvent {
  event_name?: unknown;
  properties_json?: unknown;
  url?: unknown;
  device_id?: unknown;
  user_id?: unknown;
}

const EVALUATION = 'Feature Evaluated';
const PAGE_VIEWS: readonly unknown[] = ['Page View', 'page_view'];

/**
 * Converts an event to a message; null for feature evaluations, which are not stored. Invalid values are kept, and
 * validation reports them later.
 */
export function messageFrom(event: unknown): unknown {
  if (!isObject(event)) {
    return 'no event';
  }
  const { event_name, properties_json, url, device_id, user_id }: SdkEvent = event;
  const visitor = device_id ?? user_id;
  if (event_name === EVALUATION) {
    return null;
  }
  const properties = isObject(properties_json) ? properties_json : {};
  if (event_name === EXPOSURE) {
    const exposure = exposureFrom(properties);
    const { hashValue } = properties;
    // Conversions are sent with the id in `visitor`, so this id is linked to the id in `hashValue`, which was used for
    // the assignment. They are the same if the site gives the SDK only one id.
    return textOf(visitor) === textOf(hashValue)
      ? exposure
      : new LinkingMessage(exposure, visitor, hashValue);
  }
  const base = { anonymousId: visitor, messageId: newId() };
  return PAGE_VIEWS.includes(event_name)
    ? { ...base, type: 'page', properties: { url } }
    : { ...base, type: 'track', event: event_name, properties: { value: properties.value } };
}

interface ExposureProperties {
  experimentId?: unknown;
  experiment_id?: unknown;
  variationId?: unknown;
  variation_id?: unknown;
  hashValue?: unknown;
  phase?: unknown;
}

/**
 * Plugin events have no ids, so the message id of an exposure is derived from its content. Decisions derive the same
 * message id from the experiment and variation ids, which the plugin takes from the payload.
 */
function exposureFrom(properties: ExposureProperties): object {
  const { hashValue, phase } = properties;
  const experiment = properties.experimentId ?? properties.experiment_id;
  const variation = properties.variationId ?? properties.variation_id;
  const experimentText = textOf(experiment).replace(EXPERIMENT_KEY, '$1');
  return {
    type: 'track',
    event: EXPOSURE,
    anonymousId: hashValue,
    messageId: exposureId(textOf(hashValue), experimentText, textOf(variation)),
    properties: { experiment_id: experiment, variation_id: variation, phase: idOf(phase) },
  };
}

/**
 * The text of a string or number. Any other value gives an empty string, because converting it to a string here could
 * throw an error. Such values are rejected later.
 */
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
