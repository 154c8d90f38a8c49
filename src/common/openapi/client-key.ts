import type { DocumentBuilder } from '@nestjs/swagger';

/*
 * What the reference says about routes that are called with a client key, which belong to no controller: how the key
 * is given, and what can go wrong with any of them.
 */

const KEY = 'The client key of a project, pk_..., as `client_key` on its record. It is no secret.';

export const CLIENT_KEY_EXAMPLE = 'pk_5Yb2kQe7RtUw9ZxC3vBn1mAs';

type Scheme = Parameters<DocumentBuilder['addSecurity']>[1];

/** Ways to send a client key. */
export const CLIENT_KEY_SCHEMES: Record<string, Scheme> = {
  clientKey: { type: 'http', scheme: 'bearer', description: KEY },
  clientKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: KEY },
  clientKeyQuery: { type: 'apiKey', in: 'query', name: 'client_key', description: KEY },
};

/** Of operations that need a client key. */
export const WITH_CLIENT_KEY = Object.keys(CLIENT_KEY_SCHEMES).map((name) => ({ [name]: [] }));

/** Of operations whose key may also be in the body. */
export const WITH_ANY_CLIENT_KEY = [...WITH_CLIENT_KEY, {}];

/** Of operations whose key is in the path. */
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
  description: '`1` or `true`: tell the reason of each rejection in `errors`.',
  schema: { type: 'string', enum: ['1', 'true', '0', 'false'], default: '0' },
};

const HEADERS: Record<string, string> = {
  ETag: 'Changes when something in the answer changed.',
  'Cache-Control': 'How long browsers and proxies may keep it.',
  'X-Snippet-Revision': 'Number of the publication that the answer was made from.',
  Vary: 'It is compressed as Accept-Encoding says.',
  'WWW-Authenticate': 'Bearer',
  'Retry-After': 'Seconds to wait.',
  'X-RateLimit-Limit': 'Requests per minute.',
  'X-RateLimit-Remaining': 'Requests left in this minute.',
  'X-RateLimit-Reset': 'When the next minute begins, in seconds since 1970.',
};

/** The headers of an answer, which it always has. */
export const deliveryHeaders = (names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => [name, { description: HEADERS[name], required: true, schema: text }]),
  );

/** A schema that the document has under this name. */
export const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** An answer in JSON. */
export const jsonAnswer = (
  description: string,
  schema: object,
  example: unknown,
  headers: string[] = [],
) => ({
  description,
  ...(headers.length === 0 ? {} : { headers: deliveryHeaders(headers) }),
  content: { 'application/json': { schema, example } },
});

/** A refusal in the shape that all have. */
export const refusal = (description: string, message: string, headers: string[] = []) =>
  jsonAnswer(description, named('ErrorBody'), { message }, headers);

/** A refusal that names every wrong value. */
export const invalid = (errors: Record<string, string[]>) => {
  const all = Object.values(errors).flat();
  const more = all.length > 1 ? ` (and ${all.length - 1} more ${all.length === 2 ? 'error' : 'errors'})` : '';
  return jsonAnswer(
    'Validation failed; `errors` lists everything that is wrong, by its path. Nothing was stored.',
    named('ValidationErrorBody'),
    { message: `${all[0] ?? ''}${more}`, errors },
  );
};

export const UNKNOWN_KEY = refusal('The client key is missing or nobody’s.', 'Unauthenticated.', [
  'WWW-Authenticate',
]);

/** What any of these operations can answer. */
export const DELIVERY_FAILURES = {
  429: refusal(
    'More requests in this minute than one address may make with a client key (`DELIVERY_LIMIT_PER_MINUTE`).',
    'Too Many Attempts.',
    ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  ),
  500: refusal('Something went wrong in the server.', 'Server Error'),
  503: refusal(
    'The database cannot be reached, or more is waiting than the server takes. Nothing of this request is stored; Retry-After says when to send it again.',
    'Service Unavailable',
    ['Retry-After'],
  ),
};

/** What operations with a body can answer besides. */
export const BODY_REFUSALS = {
  400: refusal('The body is no JSON.', 'The body is not valid JSON.'),
  413: refusal('The body has more than 512,000 bytes.', 'Payload Too Large'),
  415: refusal('The body is neither application/json nor text/plain.', 'Unsupported Media Type'),
};

/** A body in JSON, which may also be sent as text. */
export const jsonBody = (schema: object, example: object, required = true) => ({
  required,
  content: { 'application/json': { schema, example }, 'text/plain': { schema, example } },
});
