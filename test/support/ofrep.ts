import Ajv, { ValidateFunction } from 'ajv/dist/2020';
import type { Answer } from './client';
import type { Site } from './delivery';

/* The responses of the OpenFeature Remote Evaluation Protocol (OFREP) 0.3.0, as schemas written for these tests. */

export const ONE_FLAG = '/ofrep/v1/evaluate/flags/{key}';
export const ALL_FLAGS = '/ofrep/v1/evaluate/flags';

const text = { type: 'string' };
const simpleValue = { type: ['boolean', 'string', 'number'] };
const metadata = { type: 'object', additionalProperties: simpleValue };

const evaluated = {
  type: 'object',
  required: ['key', 'reason'],
  properties: {
    key: text,
    reason: { enum: ['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED', 'UNKNOWN'] },
    variant: text,
    value: { type: ['boolean', 'string', 'number', 'object'] },
    metadata,
    errorCode: false,
  },
};

const failed = (codes: readonly string[], required: readonly string[]) => ({
  type: 'object',
  required,
  properties: { key: text, errorCode: { enum: codes }, errorDetails: text, metadata, value: false },
});

const EVALUATION_CODES = ['PARSE_ERROR', 'TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'GENERAL'];
const failedEvaluation = failed(EVALUATION_CODES, ['key', 'errorCode']);
const serverError = { type: 'object', properties: { errorDetails: text } };

const bulk = {
  type: 'object',
  required: ['flags'],
  properties: { flags: { type: 'array', items: { oneOf: [evaluated, failedEvaluation] } }, metadata },
};

/** Schemas by path and status; `true` if the protocol does not define the body. */
const SCHEMAS: Record<string, Record<number, object | true>> = {
  [ONE_FLAG]: {
    200: evaluated,
    400: failedEvaluation,
    401: true,
    403: true,
    404: failed(['FLAG_NOT_FOUND'], ['key', 'errorCode']),
    429: true,
    500: serverError,
  },
  [ALL_FLAGS]: {
    200: bulk,
    304: true,
    400: { type: 'object', required: ['errorCode'], properties: { errorCode: text, errorDetails: text } },
    401: true,
    403: true,
    429: true,
    500: serverError,
  },
};

const ajv = new Ajv({ allErrors: true, strict: false });
const validators = new Map<object, ValidateFunction>();

/** Describes how a response violates the protocol; null if it conforms. */
export function protocolProblem(path: string, { status, body }: Answer): unknown {
  const schema = SCHEMAS[path][status];
  if (schema === undefined) {
    return `The protocol has no status ${status}.`;
  }
  if (schema === true) {
    return null;
  }
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  return validate(body) ? null : validate.errors;
}

/** A request body of the protocol for a visitor. */
export const subject = (id: unknown, properties: object = {}) => ({
  context: { targetingKey: id, ...properties },
});

/** Asserts that a response conforms to the protocol. */
export function conforming(
  path: string,
  answer: Answer<any> /* eslint-disable-line @typescript-eslint/no-explicit-any -- as in bodies */,
) {
  expect([answer.status, answer.body, protocolProblem(path, answer)]).toEqual([
    answer.status,
    answer.body,
    null,
  ]);
  return answer;
}

/** Evaluates one flag of a site. */
export const askOne = async (site: Site, key: string, body: unknown, query = '') =>
  conforming(ONE_FLAG, await site.post(`${ALL_FLAGS}/${encodeURIComponent(key)}${query}`, body));

/** Evaluates all flags of a site. */
export const askAll = async (site: Site, body: unknown, query = '', headers: Record<string, string> = {}) =>
  conforming(ALL_FLAGS, await site.post(`${ALL_FLAGS}${query}`, body, headers));
