import {
  BODY_REFUSALS,
  DELIVERY_FAILURES,
  invalid,
  jsonAnswer,
  jsonBody,
  named,
  UNKNOWN_KEY,
  WITH_CLIENT_KEY,
} from '../../common/openapi/client-key';
import { GOAL_TYPES } from '../../goals/goal.entity';
import { ENVIRONMENT } from '../environment.reference';

const DECIDE = `
Decides on the server what a visitor sees, with the same outcome as the snippet, OFREP and the SDKs.

1. Send the visitor's \`id\` and what is known about it. Without an id one is made; keep it, and send it from then on.
2. Show the variations that come back. \`reason\` says how each came to be.
3. Keep \`user.bucketing\` with the visitor and send it back: a visitor keeps its variations when shares, traffic or
   audiences change.

| reason | meaning |
|---|---|
| \`assigned\` | decided now |
| \`kept\` | as \`bucketing\` says |
| \`audience\` | the visitor is in none of the audiences |
| \`traffic\` | the visitor is among those who do not take part |
| \`page\` | \`context.view\` is none of the experiment's pages |
| \`not_running\` | the experiment is not live in this environment |
| \`unknown_experiment\` | the project has no such experiment |

That the visitor sees the variations is recorded before the answer is given, once however often it is asked for,
unless \`record\` is false. Without \`context.view\` pages are not checked: the caller knows where the visitor is.

Conditions about cookies and conditions in JavaScript are decided in browsers only: who is eligible through them alone
takes no part here.
`.trim();

const TRACK = `
Stores conversions of goals of any type, named by their ids: all of them, or none when one is wrong. Send a
\`messageId\` with each event and a retry does not count twice.

\`bucketing\` is accepted, and not used: that a visitor saw a variation is recorded by \`/v1/decide\` or \`/v1/batch\`.
Taken from conversions, it would make participants of those only who converted.
`.trim();

const text = { type: 'string' };
const id = { oneOf: [{ type: 'integer', minimum: 1 }, text] };

const BUCKETING = {
  type: 'object',
  description: 'The id of a variation for each id of an experiment, as an earlier answer gave it.',
  additionalProperties: id,
};

const USER = {
  type: 'object',
  description: 'The visitor.',
  properties: {
    id: {
      ...text,
      minLength: 1,
      maxLength: 64,
      description:
        'Of the visitor, 1 to 64 printable ASCII characters: the same wherever it is met. A UUIDv7 is made where it is missing.',
    },
    bucketing: BUCKETING,
    device: {
      type: 'object',
      description: 'What the visitor uses.',
      properties: {
        userAgent: {
          ...text,
          description: 'Tells device type, browser and operating system. The header is that of your server.',
        },
      },
    },
    locale: { ...text, description: 'BCP 47 tag, for conditions on the language.', example: 'de-CH' },
    attributes: {
      type: 'object',
      description: 'What conditions ask for, by name; it counts more than what is found out otherwise.',
      additionalProperties: true,
    },
  },
};

const DECISION_REQUEST = {
  type: 'object',
  description: 'Whom to decide for, and what.',
  properties: {
    user: USER,
    selector: {
      type: 'object',
      description: 'What to decide about.',
      properties: {
        experiments: { type: 'array', items: id, description: 'Ids; without it all that are live.' },
      },
    },
    context: {
      type: 'object',
      description: 'Where the visitor is.',
      properties: {
        view: {
          type: 'object',
          description: 'What the visitor looks at; without it pages are not checked.',
          properties: {
            id: { ...text, description: 'The api_name of a page.' },
            url: { ...text, maxLength: 2_048, description: 'Absolute address of what the visitor looks at.' },
            referrer: { ...text, description: 'Address from which the visitor came.' },
          },
        },
      },
    },
    record: { type: 'boolean', default: true, description: 'Record that the visitor sees the variations.' },
  },
};

const DECISION_REQUEST_EXAMPLE = {
  user: {
    id: '018f3f5e-0000-7000-8000-000000000001',
    bucketing: { 1001: 5002 },
    locale: 'de-CH',
    attributes: { plan: 'premium' },
  },
  context: { view: { url: 'https://shop.example.com/cart' } },
};

const DECISIONS = {
  type: 'object',
  description: 'What the visitor sees.',
  required: ['revision', 'user', 'experiments'],
  properties: {
    revision: { type: 'integer', minimum: 0, description: 'The publication that was decided with.' },
    user: {
      type: 'object',
      description: 'What to keep with the visitor, and to send next time.',
      required: ['id', 'bucketing'],
      properties: {
        id: { ...text, description: 'As it was sent, or as it was made.' },
        bucketing: {
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'The id of a variation for each id of an experiment.',
        },
      },
    },
    experiments: {
      type: 'array',
      description: 'One decision for each experiment.',
      items: {
        type: 'object',
        description: 'What was decided about one experiment.',
        required: ['id', 'api_name', 'variation', 'reason'],
        properties: {
          id: { type: 'integer', description: 'Of the experiment.' },
          api_name: {
            type: ['string', 'null'],
            description: 'Of the experiment; null for what never ran, and for what is unknown.',
          },
          variation: {
            type: ['object', 'null'],
            description: 'What to show; null when the visitor does not take part.',
            required: ['id', 'api_name'],
            properties: {
              id: { type: 'integer', description: 'Of the variation.' },
              api_name: { ...text, description: 'Of the variation.' },
            },
          },
          reason: {
            type: 'string',
            enum: ['assigned', 'kept', 'audience', 'traffic', 'page', 'not_running', 'unknown_experiment'],
            description: 'How it came to be.',
          },
        },
      },
    },
  },
};

const DECISIONS_EXAMPLE = {
  revision: 7,
  user: { id: '018f3f5e-0000-7000-8000-000000000001', bucketing: { 1001: 5002 } },
  experiments: [
    { id: 1001, api_name: 'free-shipping', variation: { id: 5002, api_name: 'from-50' }, reason: 'kept' },
    { id: 1002, api_name: 'new-checkout', variation: null, reason: 'audience' },
  ],
};

const CONVERSIONS = {
  type: 'object',
  description: 'What a visitor did.',
  required: ['user', 'events'],
  properties: {
    user: { ...USER, required: ['id'] },
    events: {
      type: 'array',
      minItems: 1,
      maxItems: 500,
      description: 'The conversions, 1 to 500.',
      items: {
        type: 'object',
        description: 'A conversion.',
        required: ['id'],
        properties: {
          id: { ...id, description: 'Id of a goal.' },
          type: { type: 'string', enum: GOAL_TYPES, description: 'When given, it must be that of the goal.' },
          value: {
            type: ['number', 'string', 'null'],
            description: 'For goals with values: a decimal of at most 1,000,000,000.',
          },
          messageId: {
            ...text,
            minLength: 1,
            maxLength: 255,
            description: 'Of this event, to notice repeats: a UUID, best of version 7.',
          },
        },
      },
    },
  },
};

const CONVERSIONS_EXAMPLE = {
  user: { id: '018f3f5e-0000-7000-8000-000000000001', bucketing: { 1001: 5002 } },
  events: [{ id: 3, type: 'custom', value: 49.9, messageId: '018f3f5e-1111-7000-8000-000000000002' }],
};

/** Schemas of decisions, by name. */
export const decisionSchemas = {
  DecisionRequest: DECISION_REQUEST,
  Decisions: DECISIONS,
  Conversions: CONVERSIONS,
};

export const decisionPaths = {
  '/v1/decide': {
    post: {
      operationId: 'decide',
      summary: 'Decide what a visitor sees',
      description: DECIDE,
      tags: ['Decisions'],
      security: WITH_CLIENT_KEY,
      parameters: [ENVIRONMENT],
      requestBody: jsonBody(named('DecisionRequest'), DECISION_REQUEST_EXAMPLE, false),
      responses: {
        200: jsonAnswer('What the visitor sees.', named('Decisions'), DECISIONS_EXAMPLE),
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
      security: WITH_CLIENT_KEY,
      requestBody: jsonBody(named('Conversions'), CONVERSIONS_EXAMPLE),
      responses: {
        204: { description: 'All conversions are stored, now or since an earlier request.' },
        ...BODY_REFUSALS,
        401: UNKNOWN_KEY,
        422: invalid({
          'events.0.id': ['The project has no goal 999.'],
          'events.1.type': ['The goal 3 is not of the type click.'],
        }),
        ...DELIVERY_FAILURES,
      },
    },
  },
};
