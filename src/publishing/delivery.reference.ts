import type { OpenAPIObject } from '@nestjs/swagger';
import {
  CLIENT_KEY_IN_PATH,
  DELIVERY_FAILURES,
  invalid,
  jsonAnswer,
  named,
  refusal,
  UNKNOWN_KEY,
  WITH_CLIENT_KEY,
  WITHOUT_SECURITY,
} from '../common/openapi/client-key';
import { type HeaderName, headersNamed, unchanged } from '../common/openapi/responses';
import { SAMPLE_IDS } from '../common/openapi/sample-ids';
import { decisionPaths, decisionSchemas } from './decisions/decisions.reference';
import { flagPaths, flagSchemas } from './decisions/flags.reference';
import { sdkPaths, sdkSchemas } from './decisions/sdk.reference';
import { ENVIRONMENT, EXPERIMENTS } from './payload-query';

/* Reference for the delivery routes for sites and back ends. No controller serves these routes. */

const SNIPPET = `
Returns the live experiments of the project as a single script. Its URL is in \`snippet_url\` of the project record: set it as
the \`src\` of a \`script\` element in the \`<head>\` of each page, before other scripts and without \`async\`.

Caches keep the script for a minute, and for a day while the server returns errors. While the database is unavailable,
the server serves the last known revision. The client key is public: it only allows reading live content and sending
events.
`.trim();

const REVISION = `
Returns the script of one publication. This script never changes. Use it for pages that pin the script with \`integrity\`, or to
find out which content visitors saw at a given time.
`.trim();

const PREVIEW = `
Returns a script that shows one variation to anyone with its \`preview_url\`, in any status except \`archive\`. The visit is
not counted. The snippet loads this script if the page URL has the signed parameter.
`.trim();

const FEATURES = `
Returns the live experiments of an environment in the format of the GrowthBook SDKs (\`apiHost\`: this server,
\`clientKey\`: the client key). The payload is public, so it does not contain names and descriptions.

\`experiments\` is empty unless you ask for it: SDKs run all of them when a page loads, and each one makes the visitor a
participant. Experiments with code that needs the snippet (\`gosset\`) are never included.
`.trim();

const STREAM = `
Streams the payload of \`/api/features/{clientKey}\` as server-sent events: the current one first, and each new one within
two seconds of a publication or a status change. GrowthBook SDKs connect with \`streaming: true\`. Each event has the type
\`features\` and the payload as its data; comments keep the connection open. With \`Last-Event-ID\`, a payload that the client
already has is not sent again.

The number of streams is limited (\`MAX_STREAMS\`): over the limit, the response is 503 with \`Retry-After\`.
`.trim();

const VISITOR = `
Returns the visitor data that only the server knows: the country, from the header of a trusted proxy
(\`COUNTRY_HEADER\`) or from the address (\`GEOIP_DATABASE\`); null if it is unknown. Neither the country nor the address is stored. The snippet requests it once per session, in projects with country conditions. Back ends send \`country\` themselves.
`.trim();

const text = { type: 'string' };

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of a cached response. The server returns 304 if nothing has changed.',
  schema: text,
};

const inPath = (name: string, description: string, schema: object, example: unknown) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
  example,
});

const script = (description: string, headers: readonly HeaderName[]) => ({
  description,
  headers: headersNamed(headers),
  content: { 'text/javascript': { schema: text, example: '(()=>{...})();' } },
});

const VISITOR_SCHEMA = {
  type: 'object',
  required: ['country'],
  properties: {
    country: {
      type: ['string', 'null'],
      description: 'ISO 3166-1 alpha-2 code of the country; null if it is unknown.',
    },
  },
};

const NOTHING = refusal('NOT_FOUND', 'The resource does not exist.');

/** The script routes have no 403 response, because pages on any origin may load scripts. */
const { 403: _ORIGIN, ...SCRIPT_FAILURES } = DELIVERY_FAILURES;

const reading = (operation: object, responses: object, failures: object = SCRIPT_FAILURES) => ({
  get: {
    tags: ['Delivery'],
    security: WITHOUT_SECURITY,
    parameters: [IF_NONE_MATCH],
    ...operation,
    responses: { ...responses, 404: NOTHING, ...failures },
  },
});

const PAYLOAD_EXAMPLE = {
  features: {
    'free-shipping': {
      rules: [
        {
          key: 'exp-1001',
          seed: 'exp-1001',
          hashAttribute: 'id',
          hashVersion: 2,
          ranges: [
            [0, 0.5],
            [0.5, 1],
          ],
          variations: ['original', 'from-50'],
          meta: [{ key: '5001' }, { key: '5002' }],
        },
      ],
    },
  },
  experiments: [],
};

const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Id of the last event. Clients send it when they reconnect.',
  schema: text,
};

const STREAM_EXAMPLE = `id: 1f0c9d2b7a6e4835\nevent: features\ndata: ${JSON.stringify(PAYLOAD_EXAMPLE)}\n\n`;

const CACHED: readonly HeaderName[] = ['ETag', 'Cache-Control', 'X-Snippet-Revision'];

/** The schemas of delivery, by name. */
export const deliverySchemas = { ...decisionSchemas, ...flagSchemas, ...sdkSchemas };

/** The paths of delivery, for the OpenAPI document. */
export const deliveryPaths = {
  '/s/{clientKey}.js': {
    parameters: [CLIENT_KEY_IN_PATH],
    ...reading(
      { operationId: 'showSnippet', summary: "The script for a project's pages", description: SNIPPET },
      {
        200: script('The script, compressed according to Accept-Encoding.', [...CACHED, 'Vary']),
        304: unchanged([...CACHED, 'Vary']),
      },
    ),
  },
  '/s/{clientKey}/{revision}.js': {
    parameters: [
      CLIENT_KEY_IN_PATH,
      inPath('revision', 'Number of a publication.', { type: 'integer', minimum: 1 }, SAMPLE_IDS.revision),
    ],
    ...reading(
      { operationId: 'showSnippetRevision', summary: 'The script of one publication', description: REVISION },
      {
        200: script('The script. It may be cached for a year.', [...CACHED, 'Vary']),
        304: unchanged([...CACHED, 'Vary']),
      },
    ),
  },
  '/s/{clientKey}/preview/{token}.js': {
    parameters: [
      CLIENT_KEY_IN_PATH,
      inPath('token', 'The signed parameter of a `preview_url`.', text, '5002.Zm9v'),
    ],
    ...reading(
      {
        operationId: 'showPreviewScript',
        summary: 'The script that shows one variation',
        description: PREVIEW,
        parameters: [],
      },
      { 200: script('The script. It must not be cached.', ['Cache-Control']) },
    ),
  },
  '/api/features/{clientKey}': {
    parameters: [CLIENT_KEY_IN_PATH],
    ...reading(
      {
        operationId: 'showPayload',
        summary: 'The payload for SDKs',
        description: FEATURES,
        parameters: [ENVIRONMENT, EXPERIMENTS, IF_NONE_MATCH],
      },
      {
        200: jsonAnswer('The payload.', named('Payload'), PAYLOAD_EXAMPLE, [...CACHED, 'X-SSE-Support']),
        304: unchanged([...CACHED, 'X-SSE-Support']),
        422: invalid({ environment: ['The environment must be one of: production, staging.'] }),
      },
      DELIVERY_FAILURES,
    ),
  },
  '/sub/{clientKey}': {
    parameters: [CLIENT_KEY_IN_PATH],
    ...reading(
      {
        operationId: 'streamPayload',
        summary: 'Stream the payload for SDKs',
        description: STREAM,
        parameters: [ENVIRONMENT, EXPERIMENTS, LAST_EVENT_ID],
      },
      {
        200: {
          description: 'Server-sent events, until the client disconnects or the server stops.',
          headers: headersNamed(['Cache-Control', 'X-Accel-Buffering', 'X-SSE-Support']),
          content: { 'text/event-stream': { schema: text, example: STREAM_EXAMPLE } },
        },
        422: invalid({ environment: ['The environment must be one of: production, staging.'] }),
      },
      DELIVERY_FAILURES,
    ),
  },
  '/v1/visitor': {
    get: {
      tags: ['Delivery'],
      security: WITH_CLIENT_KEY,
      operationId: 'showVisitor',
      summary: "The visitor's country",
      description: VISITOR,
      responses: {
        200: jsonAnswer('The country.', VISITOR_SCHEMA, { country: 'CH' }, ['Cache-Control']),
        401: UNKNOWN_KEY,
        ...DELIVERY_FAILURES,
      },
    },
  },
  ...decisionPaths,
  ...flagPaths,
  ...sdkPaths,
} as unknown as OpenAPIObject['paths'];
