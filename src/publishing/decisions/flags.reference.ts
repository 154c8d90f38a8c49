import {
  BODY_REFUSALS,
  DELIVERY_FAILURES,
  jsonAnswer,
  jsonBody,
  named,
  UNKNOWN_KEY,
  WITH_CLIENT_KEY,
} from '../../common/openapi/client-key';
import { ENVIRONMENT } from '../environment.reference';

const FLAG = `
The [OpenFeature Remote Evaluation Protocol](https://openfeature.dev/docs/reference/other-technologies/ofrep/), so that
the providers of OpenFeature work with this server: give them its address and the client key.

An experiment is a flag of type string. Its key is the \`api_name\` of the experiment, its value that of a variation.

| reason | meaning |
|---|---|
| \`SPLIT\` | \`value\` is the visitor's variation |
| \`UNKNOWN\` | no value: \`metadata.excluded_by\` says whether the audiences or the traffic leave the visitor out |
| \`DISABLED\` | no value: the experiment is not live in this environment |

Where there is no value, the default in your code counts. \`targetingKey\` is the id of the visitor: 1 to 64 printable
ASCII characters. Other properties of the context are the attributes that audiences ask for; \`userAgent\`, \`locale\`,
\`url\` and \`referrer\` among them also tell device, browser, operating system, language and query parameters. Pages
are not checked. Nothing is recorded: report what is shown with \`/v1/batch\`.
`.trim();

const FLAGS = `
As the evaluation of one flag, for all flags at once: those of experiments that are live, and as \`DISABLED\` those of
experiments that ran before and are not archived. With \`If-None-Match\` the answer is 304 while it would be the same.
`.trim();

const text = { type: 'string' };

const REQUEST = {
  type: 'object',
  description: 'For whom flags are evaluated.',
  required: ['context'],
  properties: {
    context: {
      type: 'object',
      description: 'The visitor, with any attributes that audiences ask for.',
      required: ['targetingKey'],
      properties: {
        targetingKey: {
          ...text,
          minLength: 1,
          maxLength: 64,
          description: 'Id of the visitor: printable ASCII.',
        },
      },
      additionalProperties: true,
    },
  },
};

const REQUEST_EXAMPLE = {
  context: { targetingKey: '018f3f5e-0000-7000-8000-000000000001', plan: 'premium', locale: 'de-CH' },
};

const REVISION = { type: 'integer', description: 'The publication that was evaluated.' };

const EVALUATION = {
  type: 'object',
  description: 'What the flag of an experiment is for the visitor.',
  required: ['key', 'reason', 'metadata'],
  properties: {
    key: { ...text, description: 'The api_name of the experiment.' },
    reason: {
      type: 'string',
      enum: ['SPLIT', 'UNKNOWN', 'DISABLED'],
      description: 'Why it has this value, or none.',
    },
    value: { ...text, description: 'The api_name of the variation; missing where the default counts.' },
    variant: { ...text, description: 'The same as `value`.' },
    metadata: {
      type: 'object',
      description: 'What the protocol has no field for.',
      required: ['experiment_id', 'revision'],
      properties: {
        experiment_id: { type: 'integer', description: 'Id of the experiment.' },
        variation_id: { type: 'integer', description: 'Id of the variation, to report what is shown.' },
        excluded_by: {
          type: 'string',
          enum: ['audience', 'traffic'],
          description: 'What leaves the visitor out, with the reason `UNKNOWN`.',
        },
        revision: REVISION,
      },
    },
  },
};

const EVALUATION_EXAMPLE = {
  key: 'free-shipping',
  reason: 'SPLIT',
  value: 'from-50',
  variant: 'from-50',
  metadata: { experiment_id: 1001, variation_id: 5002, revision: 7 },
};

const EVALUATIONS = {
  type: 'object',
  description: 'The flags of all experiments for the visitor.',
  required: ['flags', 'metadata'],
  properties: {
    flags: { type: 'array', items: named('FlagEvaluation'), description: 'One for each experiment.' },
    metadata: {
      type: 'object',
      description: 'About all of them.',
      required: ['revision'],
      properties: { revision: REVISION },
    },
  },
};

const EVALUATIONS_EXAMPLE = {
  flags: [
    EVALUATION_EXAMPLE,
    { key: 'old-banner', reason: 'DISABLED', metadata: { experiment_id: 1000, revision: 7 } },
  ],
  metadata: { revision: 7 },
};

/** A refusal in the words of the protocol, with the message that all refusals have. */
const failure = (description: string, codes: string[], details: string, key?: string) => {
  const of = key === undefined ? {} : { key };
  const properties = {
    message: { ...text, description: 'What is wrong, for people.' },
    ...(key === undefined ? {} : { key: { ...text, description: 'The flag that was asked for.' } }),
    errorCode: { type: 'string', enum: codes, description: 'What is wrong, in the words of the protocol.' },
    errorDetails: { ...text, description: 'The same as `message`.' },
  };
  return jsonAnswer(
    description,
    { type: 'object', required: Object.keys(properties), properties },
    { message: details, ...of, errorCode: codes[0], errorDetails: details },
  );
};

const BAD_REQUEST = 'The body is no JSON, the context is wrong, or there is no such environment.';
const BAD_CODES = ['TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'PARSE_ERROR', 'GENERAL'];
const NO_TARGETING_KEY = 'The context has no targetingKey.';
const KEY = 'free-shipping';

/** Schemas of flags, by name. */
export const flagSchemas = {
  FlagRequest: REQUEST,
  FlagEvaluation: EVALUATION,
  FlagEvaluations: EVALUATIONS,
};

export const flagPaths = {
  '/ofrep/v1/evaluate/flags/{key}': {
    parameters: [
      {
        name: 'key',
        in: 'path',
        required: true,
        description: 'The api_name of an experiment.',
        schema: text,
        example: KEY,
      },
    ],
    post: {
      operationId: 'evaluateFlag',
      summary: 'Evaluate the flag of one experiment',
      description: FLAG,
      tags: ['Decisions'],
      security: WITH_CLIENT_KEY,
      parameters: [ENVIRONMENT],
      requestBody: jsonBody(named('FlagRequest'), REQUEST_EXAMPLE),
      responses: {
        200: jsonAnswer('The evaluation.', named('FlagEvaluation'), EVALUATION_EXAMPLE),
        ...BODY_REFUSALS,
        400: failure(BAD_REQUEST, BAD_CODES, NO_TARGETING_KEY, KEY),
        401: UNKNOWN_KEY,
        404: failure(
          'The project has no such experiment.',
          ['FLAG_NOT_FOUND'],
          `Flag '${KEY}' was not found.`,
          KEY,
        ),
        ...DELIVERY_FAILURES,
      },
    },
  },
  '/ofrep/v1/evaluate/flags': {
    post: {
      operationId: 'evaluateFlags',
      summary: 'Evaluate the flags of all experiments',
      description: FLAGS,
      tags: ['Decisions'],
      security: WITH_CLIENT_KEY,
      parameters: [
        ENVIRONMENT,
        {
          name: 'If-None-Match',
          in: 'header',
          required: false,
          description: 'ETag of the answer that is known already.',
          schema: text,
        },
      ],
      requestBody: jsonBody(named('FlagRequest'), REQUEST_EXAMPLE),
      responses: {
        200: jsonAnswer('The evaluations.', named('FlagEvaluations'), EVALUATIONS_EXAMPLE, ['ETag']),
        304: { description: 'The answer would be the same.' },
        ...BODY_REFUSALS,
        400: failure(BAD_REQUEST, BAD_CODES, NO_TARGETING_KEY),
        401: UNKNOWN_KEY,
        ...DELIVERY_FAILURES,
      },
    },
  },
};
