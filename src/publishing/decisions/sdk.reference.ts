import {
  BODY_REFUSALS,
  CLIENT_KEY_IN_PATH,
  DELIVERY_FAILURES,
  invalid,
  jsonAnswer,
  jsonBody,
  named,
  refusal,
  LENIENT_STRICT,
  UNKNOWN_KEY,
  WITH_CLIENT_KEY,
  WITHOUT_SECURITY,
} from '../../common/openapi/client-key';
import { SAMPLE_IDS, SAMPLE_VISITOR } from '../../common/openapi/sample-ids';
import { RECEIVED } from '../../events/collection.reference';
import { EXPOSURE } from '../../events/exposure';
import { ENVIRONMENT, EXPERIMENTS } from '../payload-query';
import { EVALUATION_REQUEST } from './remote-evaluation';
import { PLUGIN_EVENT } from './sdk-events';

const EVALUATION = `
Remote evaluation for GrowthBook SDKs (\`remoteEval: true\`, with this server as \`apiHost\`): the payload for one visitor,
without conditions and without the variations of other visitors. \`attributes.id\` is the id of the visitor. Unknown
fields are ignored.
`.trim();

const TRACKING = `
Collects events of the GrowthBook SDKs' tracking plugin (\`growthbookTrackingPlugin({ ingestorHost })\`).

| event | meaning |
|---|---|
| \`${EXPOSURE}\` | the visitor in \`hashValue\` was shown the variation |
| \`Page View\`, \`page_view\` | a view of \`url\`: conversion of every pageview goal whose page matches |
| \`Feature Evaluated\` | accepted and ignored |
| any other | conversion of the custom or click goal with that \`api_name\`, with \`properties_json.value\` |

Conversions belong to the visitor in \`device_id\`, or \`user_id\` if that is missing. The SDK takes it from the attributes
\`device_id\`, \`anonymous_id\` or \`id\`: set it to the same \`id\` that is used to assign variations. Ids may be numbers here, but
the plugin omits numeric ids from conversions: use a string for the attribute \`id\`, or also set \`user_id\`. An exposure links
\`hashValue\` to the id used in conversions.
`.trim();

const list = (items: object) => ({ type: 'array', items });
const open = { type: 'object', additionalProperties: true };

const PAYLOAD = {
  type: 'object',
  description: 'The payload in the format of the GrowthBook SDKs.',
  required: ['features', 'experiments'],
  properties: {
    features: { type: 'object', additionalProperties: open, description: 'Rules by feature key.' },
    experiments: { ...list(open), description: 'With `?experiments=1`: the experiments that change pages.' },
  },
};

const EVALUATED = {
  features: {
    [SAMPLE_IDS.flag]: { defaultValue: SAMPLE_IDS.value, rules: [{ force: SAMPLE_IDS.value, tracks: [] }] },
  },
  experiments: [],
};

const EVENTS_EXAMPLE = [
  {
    event_name: EXPOSURE,
    properties_json: {
      experimentId: `exp-${SAMPLE_IDS.experiment}`,
      variationId: String(SAMPLE_IDS.variation),
      hashAttribute: 'id',
      hashValue: SAMPLE_VISITOR,
    },
    url: 'https://shop.example.com/cart',
    device_id: SAMPLE_VISITOR,
    user_id: null,
  },
];

/** The schemas of SDK requests and responses, by name. */
export const sdkSchemas = { PayloadRequest: EVALUATION_REQUEST, Payload: PAYLOAD, PluginEvent: PLUGIN_EVENT };

export const sdkPaths = {
  '/api/eval/{clientKey}': {
    parameters: [CLIENT_KEY_IN_PATH],
    post: {
      operationId: 'evaluatePayload',
      summary: 'Evaluate the payload for one visitor',
      description: EVALUATION,
      tags: ['Decisions'],
      security: WITHOUT_SECURITY,
      parameters: [ENVIRONMENT, EXPERIMENTS],
      requestBody: jsonBody(
        named('PayloadRequest'),
        { attributes: { id: SAMPLE_VISITOR, plan: 'premium' } },
        false,
      ),
      responses: {
        200: jsonAnswer('The payload for the visitor.', named('Payload'), EVALUATED),
        ...BODY_REFUSALS,
        404: refusal('NOT_FOUND', 'The client key is unknown.'),
        422: invalid({ attributes: ['The attributes must be an object.'] }),
        ...DELIVERY_FAILURES,
      },
    },
  },
  '/track': {
    post: {
      operationId: 'collectFromPlugin',
      summary: 'Collect events of an SDK tracking plugin',
      description: TRACKING,
      tags: ['Collection'],
      security: WITH_CLIENT_KEY,
      parameters: [LENIENT_STRICT],
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
