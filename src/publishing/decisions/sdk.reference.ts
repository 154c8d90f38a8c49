import {
  BODY_REFUSALS,
  CLIENT_KEY_IN_PATH,
  DELIVERY_FAILURES,
  invalid,
  jsonAnswer,
  jsonBody,
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
  properties: {
    attributes: { ...open, description: 'What is known about the visitor.' },
    forcedVariations: { type: 'object', additionalProperties: { type: 'integer' } },
    forcedFeatures: list({ type: 'array', minItems: 1, maxItems: 2, description: 'Key and value.' }),
    url: { ...text, description: 'Where the visitor is.' },
  },
  additionalProperties: true,
};

/** What SDKs read. */
export const PAYLOAD = {
  type: 'object',
  required: ['features', 'experiments'],
  properties: {
    features: { type: 'object', additionalProperties: open },
    experiments: list(open),
  },
};

const EVALUATED = {
  features: { 'free-shipping': { defaultValue: 'from-50', rules: [{ force: 'from-50', tracks: [] }] } },
  experiments: [],
};

const EVENT = {
  type: 'object',
  required: ['event_name'],
  properties: {
    event_name: text,
    properties_json: { ...open, description: 'Of the event.' },
    url: text,
    device_id: { type: ['string', 'null'] },
    user_id: { type: ['string', 'null'] },
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
        EVALUATION_REQUEST,
        { attributes: { id: '018f3f5e-0000-7000-8000-000000000001', plan: 'premium' } },
        false,
      ),
      responses: {
        200: jsonAnswer('The payload for the visitor.', PAYLOAD, EVALUATED),
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
      requestBody: jsonBody({ oneOf: [list(EVENT), EVENT] }, EVENTS_EXAMPLE),
      responses: {
        200: RECEIVED,
        ...BODY_REFUSALS,
        401: UNKNOWN_KEY,
        ...DELIVERY_FAILURES,
      },
    },
  },
};
