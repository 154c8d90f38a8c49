import type { OfrepCode } from '../../common/errors/api-errors';
import {
  BODY_REFUSALS,
  DELIVERY_FAILURES,
  jsonAnswer,
  jsonBody,
  named,
  UNKNOWN_KEY,
  WITH_CLIENT_KEY,
} from '../../common/openapi/client-key';
import { UNCHANGED } from '../../common/openapi/responses';
import { SAMPLE_IDS, SAMPLE_VISITOR } from '../../common/openapi/sample-ids';
import { ENVIRONMENT } from '../payload-query';
import { EXCLUDED_BY, FLAG_REQUEST } from './ofrep';

const FLAG = `
Evaluates one experiment as a flag of the
[OpenFeature Remote Evaluation Protocol](https://openfeature.dev/docs/reference/other-technologies/ofrep/) (OFREP).
To connect an OpenFeature provider, configure this server's URL and the client key.

An experiment is a flag of type string. Its key is the \`api_name\` of the experiment, and its value is the \`api_name\` of a
variation.

| reason | meaning |
|---|---|
| \`SPLIT\` | \`value\` is the visitor's variation |
| \`UNKNOWN\` | no value: \`metadata.excluded_by\` is \`audience\`, \`traffic\` or \`exclusion_group\` |
| \`DEFAULT\` | with \`values=always\`, in place of \`UNKNOWN\`: \`value\` is the original |
| \`DISABLED\` | no value: the experiment was started, but is not live in this environment |

Without a value, your code uses its default. \`targetingKey\` is the id of the visitor: 1 to 64 printable ASCII
characters. Other properties of the context are attributes for audiences. Device, browser, operating system, language
and query parameters are derived from \`userAgent\`, \`locale\` and \`url\`. \`url\`, \`referrer\` and \`country\` are
normalized, as in \`/v1/decide\`. Only the first 4,096 characters of each string are compared. Pages are not checked.

Variations are not stored. If the shares, the traffic allocation or the audiences of a running experiment change, the
same visitor can get a different value.

Nothing is recorded without \`record=1\`, because an evaluated flag is not necessarily shown. You can also report the
exposure with \`/v1/batch\`, or add the hook in \`clients/openfeature\` to your provider.
`.trim();

const FLAGS = `
Evaluates the flags of all live experiments at once. Live experiments that do not run in this environment, and started
experiments that are neither live nor archived, are \`DISABLED\`. Returns 304 if \`If-None-Match\` matches and nothing
has changed. Exposures cannot be recorded here, because that would make the visitor a participant in every experiment.
`.trim();

const text = { type: 'string' };

const VALUES = {
  name: 'values',
  in: 'query',
  required: false,
  description:
    '`always`: visitors outside an experiment get the value of the original, with the reason `DEFAULT`, for providers that need a value.',
  schema: { ...text, enum: ['always'] },
};

const RECORD = {
  name: 'record',
  in: 'query',
  required: false,
  description: '`1` or `true`: record the exposure if the visitor participates.',
  schema: { ...text, enum: ['1', 'true', '0', 'false'], default: '0' },
};

const REQUEST_EXAMPLE = {
  context: { targetingKey: SAMPLE_VISITOR, plan: 'premium', locale: 'de-CH' },
};

const REVISION = { type: 'integer', description: 'Number of the publication that was evaluated.' };

const EVALUATION = {
  type: 'object',
  description: 'The evaluation of one flag for the visitor.',
  required: ['key', 'reason', 'metadata'],
  properties: {
    key: { ...text, description: 'The api_name of the experiment.' },
    reason: {
      type: 'string',
      enum: ['SPLIT', 'UNKNOWN', 'DISABLED', 'DEFAULT'],
      description: 'The reason for the value, or for its absence.',
    },
    value: { ...text, description: 'The api_name of the variation; missing if the default applies.' },
    variant: { ...text, description: 'The same as `value`.' },
    metadata: {
      type: 'object',
      description: 'Fields that are not part of the protocol.',
      required: ['experiment_id', 'revision'],
      properties: {
        experiment_id: { type: 'integer', description: 'Id of the experiment.' },
        variation_id: { type: 'integer', description: 'Id of the variation, to report the exposure.' },
        phase: {
          type: 'integer',
          minimum: 1,
          description:
            'Phase of the experiment, to report with the exposure (`properties.phase`). Missing in revisions of release 0.1.0.',
        },
        excluded_by: {
          type: 'string',
          enum: Object.values(EXCLUDED_BY),
          description: 'Why the visitor does not participate, with the reason `UNKNOWN` or `DEFAULT`.',
        },
        recorded: {
          type: 'boolean',
          description: 'With `record=1`: whether the exposure is stored. Exposures of bots are not stored.',
        },
        revision: REVISION,
      },
    },
  },
};

const EVALUATION_EXAMPLE = {
  key: SAMPLE_IDS.flag,
  reason: 'SPLIT',
  value: SAMPLE_IDS.value,
  variant: SAMPLE_IDS.value,
  metadata: {
    experiment_id: SAMPLE_IDS.experiment,
    variation_id: SAMPLE_IDS.variation,
    phase: 1,
    revision: 7,
  },
};

const EVALUATIONS = {
  type: 'object',
  description: 'The evaluations of all flags for the visitor.',
  required: ['flags', 'metadata'],
  properties: {
    flags: { type: 'array', items: named('FlagEvaluation'), description: 'One for each experiment.' },
    metadata: {
      type: 'object',
      description: 'Metadata of all flags.',
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

/** An OFREP error that also has a `message`, like all errors that the server returns. */
const failure = (description: string, codes: OfrepCode[], details: string, key?: string) => {
  const of = key === undefined ? {} : { key };
  const properties = {
    message: { ...text, description: 'Error message.' },
    code: { type: 'string', enum: codes, description: 'The same as `errorCode`.' },
    ...(key === undefined ? {} : { key: { ...text, description: 'The requested flag.' } }),
    errorCode: { type: 'string', enum: codes, description: 'OFREP error code.' },
    errorDetails: { ...text, description: 'The same as `message`.' },
  };
  return jsonAnswer(
    description,
    { type: 'object', required: Object.keys(properties), properties },
    { message: details, code: codes[0], ...of, errorCode: codes[0], errorDetails: details },
  );
};

const BAD_REQUEST = 'The body is not JSON, the context is invalid, or the environment does not exist.';
const BAD_CODES: OfrepCode[] = ['TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'PARSE_ERROR', 'GENERAL'];
const NO_TARGETING_KEY = 'The context has no targetingKey.';
const KEY = SAMPLE_IDS.flag;

/** The schemas of flags, by name. */
export const flagSchemas = {
  FlagRequest: FLAG_REQUEST,
  FlagEvaluation: EVALUATION,
  FlagEvaluations: EVALUATIONS,
};

export const flagPaths = {
  '/ofrep/v1/evaluate/flags': {
    post: {
      operationId: 'evaluateFlags',
      summary: 'Evaluate the flags of all experiments',
      description: FLAGS,
      tags: ['Decisions'],
      security: WITH_CLIENT_KEY,
      parameters: [
        ENVIRONMENT,
        VALUES,
        {
          name: 'If-None-Match',
          in: 'header',
          required: false,
          description: 'ETag of a cached response.',
          schema: text,
        },
      ],
      requestBody: jsonBody(named('FlagRequest'), REQUEST_EXAMPLE),
      responses: {
        200: jsonAnswer('The evaluations.', named('FlagEvaluations'), EVALUATIONS_EXAMPLE, ['ETag']),
        304: UNCHANGED,
        ...BODY_REFUSALS,
        400: failure(BAD_REQUEST, BAD_CODES, NO_TARGETING_KEY),
        401: UNKNOWN_KEY,
        ...DELIVERY_FAILURES,
      },
    },
  },
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
      parameters: [ENVIRONMENT, VALUES, RECORD],
      requestBody: jsonBody(named('FlagRequest'), REQUEST_EXAMPLE),
      responses: {
        200: jsonAnswer('The evaluation.', named('FlagEvaluation'), EVALUATION_EXAMPLE),
        ...BODY_REFUSALS,
        400: failure(BAD_REQUEST, BAD_CODES, NO_TARGETING_KEY, KEY),
        401: UNKNOWN_KEY,
        404: failure(
          'The project has no such experiment, or it was never started.',
          ['FLAG_NOT_FOUND'],
          `Flag '${KEY}' was not found.`,
          KEY,
        ),
        ...DELIVERY_FAILURES,
      },
    },
  },
};
