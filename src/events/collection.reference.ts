import type { OpenAPIObject } from '@nestjs/swagger';
import {
  BODY_REFUSALS,
  CLIENT_KEY_EXAMPLE,
  DELIVERY_FAILURES,
  jsonAnswer,
  jsonBody,
  named,
  refusal,
  LENIENT_STRICT,
  UNKNOWN_KEY,
  WITH_ANY_CLIENT_KEY,
} from '../common/openapi/client-key';
import { SAMPLE_IDS, SAMPLE_VISITOR } from '../common/openapi/sample-ids';
import { capitalized } from '../common/text/strings';
import { JITSU_PATHS, MESSAGE_PATHS } from './collection.routes';
import { EXPOSURE } from './exposure';
import {
  ERROR_MESSAGE,
  EVENT_BATCH,
  EVENT_MESSAGE,
  NOT_COLLECTED,
  PROFILE_MESSAGE,
  Rejection,
  REJECTIONS,
  SEGMENT_MESSAGE,
} from './messages';

/* API reference for event collection, whose routes are not served by controllers. */

const COLLECTED = Object.entries(REJECTIONS).filter(
  ([reason]) => !NOT_COLLECTED.includes(reason as Rejection),
);

const REASONS = COLLECTED.map(([reason, meaning]) => `- \`${reason}\`: ${meaning}`).join('\n');

const DESCRIPTION = `
Collects visitor events in the format of Segment's HTTP API. The server responds once all accepted events are committed.

| message | meaning |
|---|---|
| \`type: "track"\`, \`event: "${EXPOSURE}"\`, \`properties: {experiment_id, variation_id}\` | the visitor was shown the variation |
| \`type: "track"\`, any other \`event\` | conversion of the custom or click goal with that \`api_name\`, with \`properties.value\` if the goal has values |
| \`type: "page"\`, \`properties.url\` | conversion of every pageview goal whose page matches |
| \`type: "identify"\`, \`anonymousId\` and \`userId\` | both are ids of one visitor |
| \`type: "alias"\`, \`previousId\` and \`userId\` | both are ids of one visitor |
| \`type: "group"\` or \`"screen"\` | accepted and ignored |

The visitor's id is \`anonymousId\`, or \`userId\` if that is missing. Results count linked ids as one visitor, based on the earliest exposure. An id that is already linked to another visitor is not linked again, but the message is accepted. Identify an experiment by its id, by \`exp-\`
followed by the id, or by its \`api_name\`, and a variation by its id or \`api_name\`. The body may be compressed with gzip or deflate.

\`messageId\` makes retries safe: duplicates are accepted and ignored. It identifies one event of one visitor, across all goals and types: a visitor's second event with the same \`messageId\` is ignored even if it is for another goal, and the same \`messageId\` counts again for another visitor. A \`page\` message counts once for each of its goals, even if an event of another type has its \`messageId\`. The server assigns an id to a message that has none. The event time is the time of receipt minus the
interval from \`timestamp\` (or \`originalTimestamp\`) to \`sentAt\`, at most 72 hours. Send the client key as \`writeKey\`, as the user name of Basic
authentication, as a bearer token, in \`X-API-Key\` or as \`client_key\` in the query. A body may have at most 512,000 bytes and 25,000 messages, or \`events_per_minute\` messages if this is less (413). A project that exceeds its \`events_per_minute\` gets 429, and a project with too many queued events gets 503. Other projects are not affected.

The snippet also reports errors in the project's code, as \`type: "error"\`. They are counted and logged, but not stored.

A field with the wrong type is treated as missing if the event does not use it: an exposure uses the ids and the phase, a conversion uses the value, and a page view uses the url. An invalid message does not affect the rest of its batch. It is counted as
rejected; with \`?strict=1\` the response contains the reason.

${REASONS}
`.trim();

const count = { type: 'integer', minimum: 0 };

/** An example batch. */
export const BATCH_EXAMPLE = {
  writeKey: CLIENT_KEY_EXAMPLE,
  sentAt: '2026-05-01T09:30:02.000Z',
  batch: [
    {
      type: 'track',
      event: EXPOSURE,
      anonymousId: SAMPLE_VISITOR,
      messageId: '018f3f5e-1111-7000-8000-000000000001',
      timestamp: '2026-05-01T09:30:00.000Z',
      properties: { experiment_id: SAMPLE_IDS.experiment, variation_id: SAMPLE_IDS.variation },
      context: { device: { type: 'mobile' } },
    },
    {
      type: 'track',
      event: 'order-placed',
      anonymousId: SAMPLE_VISITOR,
      messageId: '018f3f5e-1111-7000-8000-000000000002',
      timestamp: '2026-05-01T09:30:01.500Z',
      properties: { value: 49.9 },
    },
  ],
};

const RECEIPT = {
  type: 'object',
  description: 'How many messages in a batch were accepted, and how many were rejected.',
  required: ['success', 'accepted', 'rejected'],
  additionalProperties: false,
  properties: {
    success: { type: 'boolean', enum: [true], description: 'All accepted messages are stored.' },
    accepted: {
      ...count,
      description:
        'Number of messages that were not rejected, including duplicates of messages stored earlier, and messages that need not be stored.',
    },
    rejected: { ...count, description: 'Number of invalid messages, which are not stored.' },
    errors: {
      type: 'array',
      description: 'The rejected messages; only with `?strict=1`.',
      items: {
        type: 'object',
        description: 'A rejected message.',
        required: ['index', 'messageId', 'reason'],
        additionalProperties: false,
        properties: {
          index: { ...count, description: 'Position in the batch, starting at 0.' },
          messageId: {
            type: ['string', 'null'],
            description: '`messageId` of the message; null if it has none.',
          },
          reason: {
            type: 'string',
            enum: COLLECTED.map(([reason]) => reason),
            description: 'The reason for the rejection.',
          },
        },
      },
    },
  },
};

/** Schemas of event collection, by name. */
export const collectionSchemas = {
  EventMessage: EVENT_MESSAGE,
  ProfileMessage: PROFILE_MESSAGE,
  SegmentMessage: SEGMENT_MESSAGE,
  ErrorMessage: ERROR_MESSAGE,
  EventBatch: EVENT_BATCH,
  Receipt: RECEIPT,
};

/** An example receipt. */
export const RECEIPT_EXAMPLE = { success: true, accepted: 2, rejected: 0 };

const ONE_RECEIVED = { success: true, accepted: 1, rejected: 0 };

const { anonymousId } = BATCH_EXAMPLE.batch[0];
/** An example of each message that has its own URL. */
const MESSAGE_EXAMPLES: Readonly<Record<string, object>> = {
  track: { anonymousId, event: 'order-placed', properties: { value: 49.9 } },
  page: { anonymousId, properties: { url: 'https://shop.example.com/cart' } },
  identify: { anonymousId, userId: 'user-42', traits: { plan: 'premium' } },
  group: { anonymousId, groupId: 'company-7' },
  alias: { previousId: anonymousId, userId: 'user-42' },
  screen: { anonymousId, name: 'Cart' },
};

/** The response to events in any format. */
export const RECEIVED = jsonAnswer('All accepted messages are stored.', named('Receipt'), RECEIPT_EXAMPLE);

const BATCH = {
  tags: ['Collection'],
  security: WITH_ANY_CLIENT_KEY,
  parameters: [LENIENT_STRICT],
  requestBody: jsonBody(named('EventBatch'), BATCH_EXAMPLE),
  responses: {
    200: RECEIVED,
    ...BODY_REFUSALS,
    400: refusal('BODY_NOT_JSON', 'The body is not JSON, or not a batch.'),
    401: UNKNOWN_KEY,
    ...DELIVERY_FAILURES,
  },
};

/** Suffixes for operation ids and summaries, to tell the URLs of one message type apart. */
const KINDS = {
  long: ['', ''],
  short: ['Short', ' (short path)'],
  jitsu: ['OfJitsu', ' (Jitsu)'],
  jitsuServer: ['OfJitsuServer', ' (Jitsu on servers)'],
} as const;

function kindOf(path: string): keyof typeof KINDS {
  if (path.startsWith('/api/s/')) {
    return path.startsWith('/api/s/s2s/') ? 'jitsuServer' : 'jitsu';
  }
  return path.length === '/v1/x'.length ? 'short' : 'long';
}

/** The paths for single messages, such as `/v1/page` and its short form `/v1/p`. */
const messagePaths = [MESSAGE_PATHS, JITSU_PATHS]
  .flatMap((each) => Object.entries(each))
  .flatMap(([type, paths]) => paths.map((path) => [path, { post: oneMessage(type, kindOf(path)) }] as const));

function oneMessage(type: string, kind: keyof typeof KINDS): object {
  const [id, summary] = KINDS[kind];
  return {
    ...BATCH,
    operationId: `collect${capitalized(type)}${id}`,
    summary: `Collect ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type} message${summary}`,
    description: `Takes one message in the format of Segment's HTTP API, at the path that ${kind.startsWith('jitsu') ? 'Jitsu' : 'Segment-compatible'} libraries use. Messages, limits and rejection reasons are the same as for \`/v1/batch\`.`,
    requestBody: jsonBody(named('SegmentMessage'), {
      writeKey: CLIENT_KEY_EXAMPLE,
      ...MESSAGE_EXAMPLES[type],
    }),
    responses: {
      ...BATCH.responses,
      200: jsonAnswer('The message was accepted or rejected.', named('Receipt'), ONE_RECEIVED),
    },
  };
}

/** The paths of event collection in the OpenAPI document. */
export const collectionPaths = {
  '/v1/batch': {
    post: {
      ...BATCH,
      operationId: 'collectBatch',
      summary: 'Collect a batch of events',
      description: DESCRIPTION,
    },
  },
  '/v1/b': {
    post: {
      ...BATCH,
      operationId: 'collectBatchShort',
      summary: 'Collect a batch of events (short path)',
      description:
        "The same as `/v1/batch`, at the short path of Segment's HTTP API. Some browser libraries send batches there.",
    },
  },
  ...Object.fromEntries(messagePaths),
} as unknown as OpenAPIObject['paths'];
