import type { DocumentBuilder } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '../errors/codes';
import { errorBodyOf } from './error-bodies';
import { type HeaderName, headersNamed } from './responses';

/*
 * Describes the routes that need a client key and belong to no controller: how to send the key, and the error responses
 * they share.
 */

const KEY =
  "The project's client key (`pk_...`), from the `client_key` field of the project record. The key is public.";

export const CLIENT_KEY_EXAMPLE = 'pk_5Yb2kQe7RtUw9ZxC3vBn1mAs';

type Scheme = Parameters<DocumentBuilder['addSecurity']>[1];

/** Ways to send a client key. */
export const CLIENT_KEY_SCHEMES: Record<string, Scheme> = {
  clientKey: { type: 'http', scheme: 'bearer', description: KEY },
  clientKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: KEY },
  clientKeyQuery: { type: 'apiKey', in: 'query', name: 'client_key', description: KEY },
};

/** The security of operations that need a client key. */
export const WITH_CLIENT_KEY = Object.keys(CLIENT_KEY_SCHEMES).map((name) => ({ [name]: [] }));

/** The security of operations that also accept the key in the body. */
export const WITH_ANY_CLIENT_KEY = [...WITH_CLIENT_KEY, {}];

/** The security of operations whose key is in the path. */
export const WITHOUT_SECURITY = [];

const text = { type: 'string' };

/** The client key as a part of the path. */
export const CLIENT_KEY_IN_PATH = {
  name: 'clientKey',
  in: 'path',
  required: true,
  description: KEY,
  schema: text,
  example: CLIENT_KEY_EXAMPLE,
};

export const STRICT = {
  name: 'strict',
  in: 'query',
  required: false,
  description: '`1` or `true`: list the reason for each rejection in `errors`.',
  schema: { type: 'string', enum: ['1', 'true', '0', 'false'], default: '0' },
};

/** The parameter of operations without a token. They do not reject a request because of an invalid value. */
export const LENIENT_STRICT = {
  ...STRICT,
  description: `${STRICT.description} Any value other than \`0\` and \`false\` counts as \`1\`.`,
};

/** A reference to a named schema in the document. */
export const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A JSON response. */
export const jsonAnswer = (
  description: string,
  schema: object,
  example: unknown,
  headers: readonly HeaderName[] = [],
) => ({
  description,
  ...(headers.length === 0 ? {} : { headers: headersNamed(headers) }),
  content: { 'application/json': { schema, example } },
});

/** An error response in the common format. Its example is the error with this code. */
export const refusal = (code: ErrorCode, description: string, headers: readonly HeaderName[] = []) => {
  const { status, message } = ERROR_CODES[code];
  return jsonAnswer(description, named(errorBodyOf(status).name), { message, code }, headers);
};

/** The example of a validation error that lists every invalid value. */
export const invalid = (errors: Record<string, string[]>) => {
  const all = Object.values(errors).flat();
  const more = all.length > 1 ? ` (and ${all.length - 1} more ${all.length === 2 ? 'error' : 'errors'})` : '';
  return jsonAnswer(
    'Validation failed. `errors` lists all errors by path. Nothing was stored.',
    named('ValidationErrorBody'),
    { message: `${all[0] ?? ''}${more}`, code: 'VALIDATION_FAILED', errors },
  );
};

export const UNKNOWN_KEY = refusal('UNAUTHENTICATED', 'The client key is missing or unknown.', [
  'WWW-Authenticate',
]);

/** The error responses that all operations with a client key have in common. */
export const DELIVERY_FAILURES = {
  403: refusal('ORIGIN_NOT_ALLOWED', "The request's `Origin` is not in the project's `allowed_origins`."),
  429: refusal(
    'RATE_LIMITED',
    "Rate limit exceeded: requests per minute per address and client key (`DELIVERY_LIMIT_PER_MINUTE`), or the project's events per minute (`events_per_minute`).",
    ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  ),
  500: refusal('SERVER_ERROR', 'Internal server error.'),
  503: refusal(
    'UNAVAILABLE',
    'The database is unavailable, or the queue is full. Events may still be stored. Retry after the number of seconds in Retry-After, with the same `messageId`s.',
    ['Retry-After'],
  ),
};

/** Additional error responses of operations with a body. */
export const BODY_REFUSALS = {
  400: refusal('BODY_NOT_JSON', 'The body is not JSON, or does not match its Content-Encoding.'),
  413: jsonAnswer(
    'The body is larger than 512,000 bytes, or has more events than the server accepts at once. In the second case, `max_events` is the maximum.',
    named('TooLargeBody'),
    { message: ERROR_CODES.TOO_MANY_EVENTS.message, code: 'TOO_MANY_EVENTS', max_events: 25_000 },
  ),
  415: refusal(
    'UNSUPPORTED_MEDIA_TYPE',
    'The body is neither application/json nor text/plain, or its content coding is neither gzip nor deflate.',
  ),
};

/** A JSON body, which may also be sent as text/plain. */
export const jsonBody = (schema: object, example: object, required = true) => ({
  required,
  content: { 'application/json': { schema, example }, 'text/plain': { schema, example } },
});
