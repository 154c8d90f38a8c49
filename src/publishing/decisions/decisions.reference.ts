import {
  BODY_REFUSALS,
  DELIVERY_FAILURES,
  invalid,
  jsonAnswer,
  jsonBody,
  named,
  LENIENT_STRICT,
  UNKNOWN_KEY,
  WITH_ANY_CLIENT_KEY,
  WITH_CLIENT_KEY,
} from '../../common/openapi/client-key';
import { SAMPLE_IDS, SAMPLE_VISITOR } from '../../common/openapi/sample-ids';
import { ENVIRONMENT } from '../payload-query';
import { CONVERSIONS } from './conversion-request';
import { DECISION_REQUEST } from './decision-request';

const DECIDE = `
Assigns variations to a visitor on the server. A new visitor gets the same variations as from the snippet, OFREP and the
SDKs.

1. Send the visitor's \`id\` and attributes. Without an id, the server creates one: store it and send it with every request.
2. Show the variations in the response. \`reason\` explains each decision.
3. Store \`user.bucketing\` and \`user.phases\` for the visitor and send both with every request, so that the visitor keeps
   the same variations when shares, traffic or audiences change. \`phases\` identifies the shares by which each variation
   was assigned. Without it, exposures of variations from before a change of shares count, but are not part of the sample
   ratio test.

| reason | meaning |
|---|---|
| \`assigned\` | newly assigned |
| \`kept\` | taken from \`bucketing\` |
| \`audience\` | the visitor is in none of the audiences |
| \`traffic\` | the visitor is outside the traffic allocation |
| \`excluded\` | the exclusion group reserves the visitor for its other experiments |
| \`page\` | \`context.view\` is not one of the experiment's pages |
| \`not_running\` | the experiment was started, but is not live in this environment |
| \`unknown_experiment\` | the project has no such experiment, or it was never started |

The exposures are stored before the response is sent, unless \`record\` is false. Repeated requests store each exposure
once. While the database is unavailable, decisions are based on the last known publication and exposures cannot be
stored: \`recorded\` is false. The same is true once the project has reached its \`events_per_minute\`. Retry soon, with
the \`user\` of the response, so that the visitor keeps the variations. The exposures then have the time of the retry and
the phase of the first decision. \`recorded\` is also false if an exposure is rejected, because the visitor is a bot or was
deleted in the last 30 days, for example. In that case, do not retry. Without \`context.view\`, pages are not checked.

Cookie and JavaScript conditions can be evaluated only in browsers: a visitor who is eligible only because of such a condition does not participate here.
`.trim();

const TRACK = `
Stores conversions for goals of any type, identified by goal id: all of them, or none if one is invalid. Send a
\`messageId\` with each event, so that a retry is not counted twice. It identifies one event of one visitor, across all
goals and types.

\`bucketing\` and \`phases\` are accepted, but not used: exposures are recorded by \`/v1/decide\` or \`/v1/batch\`. If conversions also recorded exposures, only visitors who convert would become participants.

A \`track\` message from Segment's HTTP API, which has an \`event\` instead of \`events\`, is processed like a message sent
to \`/v1/batch\`.
`.trim();

const text = { type: 'string' };

const DECISION_REQUEST_EXAMPLE = {
  user: {
    id: SAMPLE_VISITOR,
    bucketing: { [SAMPLE_IDS.experiment]: SAMPLE_IDS.variation },
    phases: { [SAMPLE_IDS.experiment]: 1 },
    locale: 'de-CH',
    attributes: { plan: 'premium' },
  },
  context: { view: { url: 'https://shop.example.com/cart' } },
};

const DECISIONS = {
  type: 'object',
  description: 'The decisions for a visitor.',
  required: ['revision', 'user', 'recorded', 'experiments'],
  properties: {
    revision: {
      type: 'integer',
      minimum: 0,
      description: 'Number of the publication that the decisions are based on.',
    },
    recorded: {
      type: 'boolean',
      description:
        'True if all exposures are stored, or there are none. False if `record` was false, or if the exposures cannot be stored now (the database is unavailable, or the limit `events_per_minute` is reached): retry soon.',
    },
    user: {
      type: 'object',
      description: 'Data to store for the visitor and to send with the next request.',
      required: ['id', 'bucketing', 'phases'],
      properties: {
        id: { ...text, description: 'Id of the visitor, as sent by the client or created by the server.' },
        bucketing: {
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'Variation ids by experiment id.',
        },
        phases: {
          type: 'object',
          additionalProperties: { type: 'integer' },
          description:
            'The phases in which these variations were assigned, by experiment id. Unknown phases are missing.',
        },
      },
    },
    experiments: {
      type: 'array',
      description: 'One decision for each experiment.',
      items: {
        type: 'object',
        description: 'The decision for one experiment.',
        required: ['id', 'api_name', 'variation', 'reason'],
        properties: {
          id: { type: 'integer', description: 'Id of the experiment.' },
          api_name: {
            type: ['string', 'null'],
            description: 'api_name of the experiment; null if it never ran or is unknown.',
          },
          variation: {
            type: ['object', 'null'],
            description: 'The variation to show; null if the visitor does not participate.',
            required: ['id', 'api_name'],
            properties: {
              id: { type: 'integer', description: 'Id of the variation.' },
              api_name: { ...text, description: 'api_name of the variation.' },
            },
          },
          reason: {
            type: 'string',
            enum: [
              'assigned',
              'kept',
              'excluded',
              'audience',
              'traffic',
              'page',
              'not_running',
              'unknown_experiment',
            ],
            description:
              'The reason for the decision. `excluded`: the exclusion group reserves the visitor for its other experiments.',
          },
        },
      },
    },
  },
};

const DECISIONS_EXAMPLE = {
  revision: 7,
  user: {
    id: SAMPLE_VISITOR,
    bucketing: { [SAMPLE_IDS.experiment]: SAMPLE_IDS.variation },
    phases: { [SAMPLE_IDS.experiment]: 1 },
  },
  recorded: true,
  experiments: [
    {
      id: SAMPLE_IDS.experiment,
      api_name: SAMPLE_IDS.flag,
      variation: { id: SAMPLE_IDS.variation, api_name: SAMPLE_IDS.value },
      reason: 'kept',
    },
    { id: 2, api_name: 'checkout-on-one-page', variation: null, reason: 'audience' },
  ],
};

const CONVERSIONS_EXAMPLE = {
  user: { id: SAMPLE_VISITOR, bucketing: { [SAMPLE_IDS.experiment]: SAMPLE_IDS.variation } },
  events: [{ id: 3, type: 'custom', value: 49.9, messageId: '018f3f5e-1111-7000-8000-000000000002' }],
};

/** The schemas of decisions, by name. */
export const decisionSchemas = {
  DecisionRequest: DECISION_REQUEST,
  Decisions: DECISIONS,
  Conversions: CONVERSIONS,
};

export const decisionPaths = {
  '/v1/decide': {
    post: {
      operationId: 'decide',
      summary: 'Decide which variations a visitor sees',
      description: DECIDE,
      tags: ['Decisions'],
      security: WITH_CLIENT_KEY,
      parameters: [ENVIRONMENT],
      requestBody: jsonBody(named('DecisionRequest'), DECISION_REQUEST_EXAMPLE, false),
      responses: {
        200: jsonAnswer('The decisions.', named('Decisions'), DECISIONS_EXAMPLE),
        ...BODY_REFUSALS,
        401: UNKNOWN_KEY,
        422: invalid({ 'user.id': ['The id must be 1 to 64 printable ASCII characters.'] }),
        ...DELIVERY_FAILURES,
      },
    },
  },
  '/v1/track': {
    post: {
      operationId: 'trackConversions',
      summary: 'Store conversions of a visitor',
      description: TRACK,
      tags: ['Collection'],
      security: WITH_ANY_CLIENT_KEY,
      parameters: [LENIENT_STRICT],
      requestBody: jsonBody({ anyOf: [named('Conversions'), named('SegmentMessage')] }, CONVERSIONS_EXAMPLE),
      responses: {
        200: jsonAnswer("A message in Segment's format was accepted or rejected.", named('Receipt'), {
          success: true,
          accepted: 1,
          rejected: 0,
        }),
        204: { description: 'All conversions have been stored, by this request or an earlier one.' },
        ...BODY_REFUSALS,
        401: UNKNOWN_KEY,
        422: invalid({
          'events.0.id': ['The project has no goal 999.'],
          'events.1.type': ['The goal 3 is not of type click.'],
        }),
        ...DELIVERY_FAILURES,
      },
    },
  },
};
