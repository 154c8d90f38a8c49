import {
  BODY_REFUSALS,
  CLIENT_KEY_IN_PATH,
  DELIVERY_FAILURES,
  invalid,
  jsonAnswer,
  jsonBody,
  named,
  refusal,
  STRICT,
  UNKNOWN_KEY,
  WITH_CLIENT_KEY,
  WITHOUT_SECURITY,
} from '../../common/openapi/client-key';
import { RECEIVED } from '../../events/collection.reference';
import { ENVIRONMENT } from '../environment.reference';

const EVALUATION = `
Remote evaluation for SDKs of the GrowthBook family (\`remoteEval: true\`, with this server as \`apiHost\`): the payload
as it is for one visitor, without conditions and without the variations that others see. \`attributes.id\` is the id of
the visitor. Fields that other SDKs send besides are ignored.
`.trim();

const TRACKING = `
Takes what the tracking plugin of the GrowthBook SDKs sends (\`growthbookTrackingPlugin({ ingestorHost })\`).

| event | meaning |
|---|---|
| \`Experiment Viewed\` | the visitor in \`hashValue\` was shown the variation |
| \`Page View\`, \`page_view\` | a view of \`url\`: conversion of every pageview goal whose page matches |
| \`Feature Evaluated\` | accepted and ignored |
| any other | conversion of the custom or click goal with that \`api_name\`, with \`properties_json.value\` |

Conversions belong to the visitor in \`device_id\`, or \`user_id\` where that is missing; the SDK takes it from the
attributes \`device_id\`, \`anonymous_id\` or \`id\`, so let that be the \`id\` that variations are assigned by.
`.trim();

const text = { type: 'string' };
const list = (items: object) => ({ type: 'array', items });
const open = { type: 'object', additionalProperties: true };

const EVALUATION_REQUEST = {
  type: 'object',
  description: 'For whom the payload is evaluated.',
  properties: {
    attributes: { ...open, description: 'What is known about the visitor.' },
    forcedVariations: {
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'Place of the variation to use, from 0, for each key of an experiment.',
    },
    forcedFeatures: {
      ...list({ type: 'array', minItems: 1, maxItems: 2, items: {}, description: 'Key and value.' }),
      description: 'Features that have these values whatever the rules say.',
    },
    url: { ...text, description: 'Where the visitor is.' },
  },
  additionalProperties: true,
};

const PAYLOAD = {
  type: 'object',
  description: 'What SDKs of the GrowthBook family read, in their format.',
  required: ['features', 'experiments'],
  properties: {
    features: { type: 'object', additionalProperties: open, description: 'Rules by the key of a feature.' },
    experiments: { ...list(open), description: 'Experiments that change pages in the browser.' },
  },
};

const EVALUATED = {
  features: { 'free-shipping': { defaultValue: 'from-50', rules: [{ force: 'from-50', tracks: [] }] } },
  experiments: [],
};

const EVENT = {
  type: 'object',
  description: 'An event as the plugin sends it; it may have further fields.',
  required: ['event_name'],
  properties: {
    event_name: { ...text, description: 'What happened.' },
    properties_json: { ...open, description: 'Of the event.' },
    url: { ...text, description: 'Address of the page.' },
    device_id: { type: ['string', 'null'], description: 'Id of the visitor.' },
    user_id: { type: ['string', 'null'], description: 'Id of the visitor where `device_id` is missing.' },
  },
  additionalProperties: true,
};

const EVENTS_EXAMPLE = [
  {
    event_name: 'Experiment Viewed',
    properties_json: {
      experimentId: 'exp-1001',
      variationId: '5002',
      hashAttribute: 'id',
      hashValue: '018f3f5e-0000-7000-8000-000000000001',
    },
    url: 'https://shop.example.com/cart',
    device_id: '018f3f5e-0000-7000-8000-000000000001',
    user_id: null,
  },
];

/** Schemas of what SDKs read and send, by name. */
export const sdkSchemas = { PayloadRequest: EVALUATION_REQUEST, Payload: PAYLOAD, PluginEvent: EVENT };

export const sdkPaths = {
  '/api/eval/{clientKey}': {
    parameters: [CLIENT_KEY_IN_PATH],
    post: {
      operationId: 'evaluatePayload',
      summary: 'Evaluate the payload for one visitor',
      description: EVALUATION,
      tags: ['Decisions'],
      security: WITHOUT_SECURITY,
      parameters: [ENVIRONMENT],
      requestBody: jsonBody(
        named('PayloadRequest'),
        { attributes: { id: '018f3f5e-0000-7000-8000-000000000001', plan: 'premium' } },
        false,
      ),
      responses: {
        200: jsonAnswer('The payload for the visitor.', named('Payload'), EVALUATED),
        ...BODY_REFUSALS,
        404: refusal('The client key is nobody’s.', 'Not Found'),
        422: invalid({ attributes: ['The attributes must be an object.'] }),
        ...DELIVERY_FAILURES,
      },
    },
  },
  '/track': {
    post: {
      operationId: 'collectFromPlugin',
      summary: 'Collect events of the tracking plugin of an SDK',
      description: TRACKING,
      tags: ['Collection'],
      security: WITH_CLIENT_KEY,
      parameters: [STRICT],
      requestBody: jsonBody({ oneOf: [list(named('PluginEvent')), named('PluginEvent')] }, EVENTS_EXAMPLE),
      responses: {
        200: RECEIVED,
        ...BODY_REFUSALS,
        401: UNKNOWN_KEY,
        ...DELIVERY_FAILURES,
      },
    },
  },
};
