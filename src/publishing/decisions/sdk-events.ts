import { v7 as newId } from 'uuid';
import { idOf } from '../../common/validation/ids';
import { isObject } from '../../common/validation/submission';
import { exposureId } from '../../events/event-ids';
import { EXPOSURE } from '../../events/resolution';

/* What the tracking plugin of the GrowthBook SDKs sends, as messages of a batch. */

interface SdkEvent {
  event_name?: unknown;
  properties_json?: unknown;
  url?: unknown;
  device_id?: unknown;
  user_id?: unknown;
}

const EVALUATION = 'Feature Evaluated';
const PAGE_VIEWS: readonly unknown[] = ['Page View', 'page_view'];
const EXPERIMENT_KEY = /^exp-(\d+)$/;

/** The message that an event is; null for those that say nothing about visitors. What is wrong stays wrong. */
export function messageFrom(event: unknown): unknown {
  if (!isObject(event)) {
    return 'no event';
  }
  const { event_name, properties_json, url, device_id, user_id }: SdkEvent = event;
  if (event_name === EVALUATION) {
    return null;
  }
  const properties = isObject(properties_json) ? properties_json : {};
  if (event_name === EXPOSURE) {
    return exposureFrom(properties);
  }
  const base = { anonymousId: device_id ?? user_id, messageId: newId() };
  return PAGE_VIEWS.includes(event_name)
    ? { ...base, type: 'page', properties: { url } }
    : { ...base, type: 'track', event: event_name, properties: { value: properties.value } };
}

/** Events have no ids, so an exposure that is sent again is recognised by what it says. */
function exposureFrom({ experimentId, variationId, hashValue }: Record<string, unknown>): object {
  const experiment = idOf(EXPERIMENT_KEY.exec(String(experimentId))?.[1]) ?? 0;
  return {
    type: 'track',
    event: EXPOSURE,
    anonymousId: hashValue,
    messageId: exposureId(String(hashValue), experiment, Number(variationId)),
    properties: { experiment_id: experiment, variation_id: variationId },
  };
}
