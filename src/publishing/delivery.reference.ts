import type { OpenAPIObject } from '@nestjs/swagger';
import {
  CLIENT_KEY_IN_PATH,
  deliveryHeaders,
  DELIVERY_FAILURES,
  invalid,
  jsonAnswer,
  named,
  refusal,
  WITHOUT_SECURITY,
} from '../common/openapi/client-key';
import { decisionPaths, decisionSchemas } from './decisions/decisions.reference';
import { flagPaths, flagSchemas } from './decisions/flags.reference';
import { sdkPaths, sdkSchemas } from './decisions/sdk.reference';
import { ENVIRONMENT } from './environment.reference';

/* What the reference says about what is delivered to sites and back ends: their routes belong to no controller. */

const SNIPPET = `
What is live in the project, as one script without further parts. The project record has this address in
\`snippet_url\`: make it the \`src\` of a \`script\` element in the head of each page, before other scripts and without
\`async\`.

Caches keep it for a minute. The client key is public: it is good for reading what is live and for sending events.
`.trim();

const REVISION = `
The script of one publication, which never changes: for pages that pin it with \`integrity\`, and for finding out what
visitors were shown at some time.
`.trim();

const PREVIEW = `
Shows one variation to whoever has its \`preview_url\`, in any status but \`archive\`, uncounted. The snippet loads it
when the address of the page has the signed parameter.
`.trim();

const FEATURES = `
What is live in an environment of the project, as SDKs of the GrowthBook family read it (\`apiHost\`: this server,
\`clientKey\`: the client key). \`features\` are for servers, \`experiments\` for browsers; names and descriptions are not
part of it, because it is public.
`.trim();

const text = { type: 'string' };

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of the answer that is known already; 304 while it is still true.',
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

const script = (description: string, headers: string[]) => ({
  description,
  headers: deliveryHeaders(headers),
  content: { 'text/javascript': { schema: text, example: '(()=>{...})();' } },
});

const NOT_MODIFIED = { description: 'Nothing has changed since the ETag in If-None-Match.' };
const NOTHING = refusal('There is nothing at this address.', 'Not Found');

const reading = (operation: object, responses: object) => ({
  get: {
    tags: ['Delivery'],
    security: WITHOUT_SECURITY,
    parameters: [IF_NONE_MATCH],
    ...operation,
    responses: { ...responses, 404: NOTHING, ...DELIVERY_FAILURES },
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

const CACHED = ['ETag', 'Cache-Control', 'X-Snippet-Revision'];

/** Schemas of delivery, by name. */
export const deliverySchemas = { ...decisionSchemas, ...flagSchemas, ...sdkSchemas };

/** The paths of delivery, as the OpenAPI document has them. */
export const deliveryPaths = {
  '/s/{clientKey}.js': {
    parameters: [CLIENT_KEY_IN_PATH],
    ...reading(
      { operationId: 'showSnippet', summary: 'The script for the pages of a project', description: SNIPPET },
      {
        200: script('The script, compressed as the caller accepts.', [...CACHED, 'Vary']),
        304: NOT_MODIFIED,
      },
    ),
  },
  '/s/{clientKey}/{revision}.js': {
    parameters: [
      CLIENT_KEY_IN_PATH,
      inPath('revision', 'Number of a publication.', { type: 'integer', minimum: 1 }, 7),
    ],
    ...reading(
      { operationId: 'showSnippetRevision', summary: 'The script of one publication', description: REVISION },
      { 200: script('The script, to be kept for a year.', [...CACHED, 'Vary']), 304: NOT_MODIFIED },
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
      { 200: script('The script, not to be kept.', ['Cache-Control']) },
    ),
  },
  '/api/features/{clientKey}': {
    parameters: [CLIENT_KEY_IN_PATH],
    ...reading(
      {
        operationId: 'showPayload',
        summary: 'The payload for SDKs',
        description: FEATURES,
        parameters: [ENVIRONMENT, IF_NONE_MATCH],
      },
      {
        200: jsonAnswer('The payload.', named('Payload'), PAYLOAD_EXAMPLE, CACHED),
        304: NOT_MODIFIED,
        422: invalid({ environment: ['The environment must be one of: production, staging.'] }),
      },
    ),
  },
  ...decisionPaths,
  ...flagPaths,
  ...sdkPaths,
} as unknown as OpenAPIObject['paths'];
