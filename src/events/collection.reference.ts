import type { OpenAPIObject } from '@nestjs/swagger';
import {
  BODY_REFUSALS,
  CLIENT_KEY_EXAMPLE,
  DELIVERY_FAILURES,
  jsonAnswer,
  jsonBody,
  named,
  refusal,
  STRICT,
  UNKNOWN_KEY,
  WITH_ANY_CLIENT_KEY,
} from '../common/openapi/client-key';
import { DEVICE_TYPES } from './device-types';
import { NOT_COLLECTED, Rejection, REJECTIONS } from './messages';

/* What the reference says about collection, whose routes belong to no controller. */

const COLLECTED = Object.entries(REJECTIONS).filter(
  ([reason]) => !NOT_COLLECTED.includes(reason as Rejection),
);

const REASONS = COLLECTED.map(([reason, meaning]) => `- \`${reason}\`: ${meaning}`).join('\n');

const DESCRIPTION = `
Takes what visitors did, in the shape of Segment's HTTP API. The answer comes when all that was accepted is committed.

| message | meaning |
|---|---|
| \`type: "track"\`, \`event: "Experiment Viewed"\`, \`properties: {experiment_id, variation_id}\` | the visitor was shown the variation |
| \`type: "track"\`, any other \`event\` | conversion of the custom or click goal with that \`api_name\`, with \`properties.value\` where the goal has values |
| \`type: "page"\`, \`properties.url\` | conversion of every pageview goal whose page matches |

\`messageId\` makes retries safe: a repeat is accepted and ignored. Events happened as long before they were received as
\`timestamp\` is before \`sentAt\`, at most 72 hours. The client key comes as \`writeKey\`, as user name of Basic
authentication, as bearer token, in \`X-API-Key\` or as \`client_key\` in the query. Bodies may have 512,000 bytes.

The snippet also reports code that failed on a page, as \`type: "error"\`: that is counted and logged, not stored.

A bad message does not spoil its batch: it is counted as rejected, and with \`?strict=1\` the answer says why.

${REASONS}
`.trim();

const text = { type: 'string' };
const id = { oneOf: [{ type: 'integer' }, text] };
const count = { type: 'integer', minimum: 0 };

const MESSAGE = {
  type: 'object',
  description: 'Something that a visitor did.',
  required: ['type', 'anonymousId', 'messageId'],
  properties: {
    type: { type: 'string', enum: ['track', 'page'], description: 'An event, or the view of a page.' },
    event: { type: 'string', description: 'Of `track`: `Experiment Viewed`, or the api_name of a goal.' },
    anonymousId: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description: 'The visitor: printable ASCII, the same for all that one visitor does.',
    },
    messageId: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Of this message, to notice repeats: a UUID, best of version 7.',
    },
    timestamp: { type: 'string', description: 'When it happened, ISO 8601; now without it.' },
    properties: {
      type: 'object',
      description: 'What the event is about.',
      properties: {
        experiment_id: { ...id, description: 'Of `Experiment Viewed`: which experiment.' },
        variation_id: { ...id, description: 'Of `Experiment Viewed`: which variation was shown.' },
        value: {
          type: ['number', 'string', 'null'],
          description:
            'Of a conversion: a decimal between -1,000,000,000 and 1,000,000,000, of which four fractional digits are kept.',
        },
        url: { type: 'string', maxLength: 2048, description: 'Absolute address of a page view.' },
      },
    },
    context: {
      type: 'object',
      description: 'Where it happened, for the filter by device and to leave bots out.',
      properties: {
        device: {
          type: 'object',
          description: 'The device of the visitor.',
          properties: {
            type: { ...text, description: `One of ${DEVICE_TYPES.join(', ')}.`, example: 'mobile' },
          },
        },
        userAgent: { ...text, description: "The visitor's; tells the device where that is not given." },
        library: {
          type: 'object',
          description: 'What sends the message.',
          properties: { name: { ...text, description: 'Its name.' } },
        },
      },
    },
  },
};

const BATCH = {
  type: 'object',
  description: 'Messages that are sent together.',
  required: ['batch'],
  properties: {
    writeKey: { type: 'string', description: 'The client key of the project.' },
    sentAt: { type: 'string', description: "The present by the client's clock, ISO 8601." },
    batch: { type: 'array', items: named('EventMessage'), description: 'The messages, in any order.' },
  },
};

const BATCH_EXAMPLE = {
  writeKey: CLIENT_KEY_EXAMPLE,
  sentAt: '2026-05-01T09:30:02.000Z',
  batch: [
    {
      type: 'track',
      event: 'Experiment Viewed',
      anonymousId: '018f3f5e-0000-7000-8000-000000000001',
      messageId: '018f3f5e-1111-7000-8000-000000000001',
      timestamp: '2026-05-01T09:30:00.000Z',
      properties: { experiment_id: 1001, variation_id: 5002 },
      context: { device: { type: 'mobile' } },
    },
    {
      type: 'track',
      event: 'order-placed',
      anonymousId: '018f3f5e-0000-7000-8000-000000000001',
      messageId: '018f3f5e-1111-7000-8000-000000000002',
      timestamp: '2026-05-01T09:30:01.500Z',
      properties: { value: 49.9 },
    },
  ],
};

const RECEIPT = {
  type: 'object',
  description: 'What became of the messages of a batch.',
  required: ['success', 'accepted', 'rejected'],
  additionalProperties: false,
  properties: {
    success: { type: 'boolean', enum: [true], description: 'What was accepted is stored.' },
    accepted: { ...count, description: 'Messages that are stored, now or since an earlier delivery.' },
    rejected: { ...count, description: 'Messages that broke a rule, and are not stored.' },
    errors: {
      type: 'array',
      description: 'With `?strict=1` only.',
      items: {
        type: 'object',
        description: 'A message that was rejected.',
        required: ['index', 'messageId', 'reason'],
        additionalProperties: false,
        properties: {
          index: { ...count, description: 'Place in the batch, from 0.' },
          messageId: { type: ['string', 'null'], description: 'Of the message, where it has one.' },
          reason: {
            type: 'string',
            enum: COLLECTED.map(([reason]) => reason),
            description: 'Which rule it broke.',
          },
        },
      },
    },
  },
};

/** Schemas of collection, by name. */
export const collectionSchemas = { EventMessage: MESSAGE, EventBatch: BATCH, Receipt: RECEIPT };

/** The answer to events in any shape. */
export const RECEIVED = jsonAnswer('What was accepted is stored.', named('Receipt'), {
  success: true,
  accepted: 2,
  rejected: 0,
});

/** The paths of collection, as the OpenAPI document has them. */
export const collectionPaths = {
  '/v1/batch': {
    post: {
      operationId: 'collectBatch',
      summary: 'Collect a batch of events',
      description: DESCRIPTION,
      tags: ['Collection'],
      security: WITH_ANY_CLIENT_KEY,
      parameters: [STRICT],
      requestBody: jsonBody(named('EventBatch'), BATCH_EXAMPLE),
      responses: {
        200: RECEIVED,
        ...BODY_REFUSALS,
        400: refusal('The body is no JSON or no batch.', 'The body is not valid JSON.'),
        401: UNKNOWN_KEY,
        ...DELIVERY_FAILURES,
      },
    },
  },
} as unknown as OpenAPIObject['paths'];
