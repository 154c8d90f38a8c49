interface ErrorKind {
  status: number;
  /** The message, or an example if the message depends on the request. */
  message: string;
  /** The cause, as described in the reference. */
  when: string;
  /** What the caller can do to fix it. */
  fix: string;
}

const kinds = <Code extends string>(all: Record<Code, ErrorKind>): Readonly<Record<Code, ErrorKind>> => all;

/** All error codes of the API. Codes are stable, because clients compare them. A new cause gets a new code. */
export const ERROR_CODES = kinds({
  BAD_REQUEST: {
    status: 400,
    message: 'Bad Request',
    when: 'The server cannot read the request, and no more specific code applies.',
    fix: 'Read `message`. Send a well-formed HTTP request.',
  },
  BODY_NOT_JSON: {
    status: 400,
    message: 'The body is not valid JSON.',
    when: 'The body is not valid JSON in UTF-8.',
    fix: 'Serialise the body with a JSON library.',
  },
  BODY_MALFORMED: {
    status: 400,
    message: 'The body must be an object with a list of messages in its `batch` field.',
    when: 'The body of a collection request is valid JSON, but is neither a message nor a list of messages.',
    fix: 'Send a body as described in the API reference.',
  },
  BODY_INCOMPLETE: {
    status: 400,
    message: 'The body is incomplete.',
    when: 'The connection closed before the complete body was received.',
    fix: 'Send the request again.',
  },
  CONTENT_ENCODING_MISMATCH: {
    status: 400,
    message: 'The body does not match its Content-Encoding.',
    when: 'The body cannot be decompressed.',
    fix: 'Compress the body with gzip or deflate, or omit `Content-Encoding`.',
  },
  HOST_INVALID: {
    status: 400,
    message: 'The Host header must be the address of this server.',
    when: 'The `Host` header is missing, repeated or malformed.',
    fix: 'Send one `Host` header. Check the proxy configuration.',
  },
  PARSE_ERROR: {
    status: 400,
    message: 'The body must be an object.',
    when: 'OFREP: the body is not a JSON object.',
    fix: 'Send `{"context": {"targetingKey": "..."}}`.',
  },
  TARGETING_KEY_MISSING: {
    status: 400,
    message: 'The context has no targetingKey.',
    when: 'OFREP: the context does not identify the visitor.',
    fix: 'Set `targetingKey` in the evaluation context.',
  },
  INVALID_CONTEXT: {
    status: 400,
    message: 'The context must be an object.',
    when: 'OFREP: a context value is invalid.',
    fix: 'Correct the value named in `errorDetails`.',
  },
  GENERAL: {
    status: 400,
    message: 'The values parameter must be "always".',
    when: 'OFREP: a query parameter is invalid.',
    fix: 'Correct the parameter named in `errorDetails`.',
  },
  UNAUTHENTICATED: {
    status: 401,
    message: 'Unauthenticated.',
    when: 'The API token or client key is missing, unknown, expired or revoked, or a route with a client key got an API token.',
    fix: 'Send `Authorization: Bearer` with a valid token. Create one under API tokens.',
  },
  ABILITY_MISSING: {
    status: 403,
    message: 'Missing required ability: write',
    when: 'The token lacks the ability named in `message`.',
    fix: 'Create a token with the “Read & write” permission.',
  },
  ROLE_INSUFFICIENT: {
    status: 403,
    message: 'This action is unauthorized.',
    when: "The user's role in the team (`role`) does not include `permission`.",
    fix: 'Ask a team admin to make the change or to give you another role.',
  },
  ADDRESS_NOT_ALLOWED: {
    status: 403,
    message: 'This action is unauthorized.',
    when: 'The client address is not in `METRICS_ALLOW`.',
    fix: 'Add the address or its subnet to `METRICS_ALLOW`.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    message: 'Pages on this site may not use the client key.',
    when: "The page's `Origin` is not in the project's `allowed_origins`, or is not this server's own origin.",
    fix: 'Add the origin to `allowed_origins` in the project settings.',
  },
  FORM_EXPIRED: {
    status: 403,
    message: 'The form is no longer valid.',
    when: 'The form was not submitted from a console page in this session. The response is always an HTML page.',
    fix: 'Reload the page and submit the form again.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'Not Found',
    when: 'The record or path does not exist, or the user cannot see it.',
    fix: 'Use ids from list responses. Check which teams the token’s user belongs to.',
  },
  NO_RESULT: {
    status: 404,
    message: 'No result found for this experiment',
    when: 'The experiment has no participants yet.',
    fix: 'Check that the experiment is running and that the site loads the snippet.',
  },
  FLAG_NOT_FOUND: {
    status: 404,
    message: "Flag 'free-shipping' was not found.",
    when: 'OFREP: no experiment with this `api_name` has ever been started.',
    fix: 'Check the name. Start the experiment or publish the project.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'The POST method is not supported here. Supported methods: GET, HEAD.',
    when: 'The path does not support this method.',
    fix: 'Use a method listed in the `Allow` header.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'Request Timeout',
    when: 'The request was not received in time.',
    fix: 'Send the request again, or send a smaller request.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    message: 'A request with this Idempotency-Key is still running.',
    when: 'The first request with the same `Idempotency-Key` is still running.',
    fix: 'Retry with the same key after the number of seconds in `Retry-After`.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'Precondition Failed',
    when: 'The record has changed: its ETag does not match `If-Match`.',
    fix: 'Read the record again and repeat the change with the new ETag.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: 'Payload Too Large',
    when: 'The body exceeds the limit (1 MiB; 16 MiB for a definition; 512,000 bytes for routes with a client key) or has too many fields.',
    fix: 'Send less data, or split it into several requests.',
  },
  TOO_MANY_EVENTS: {
    status: 413,
    message: 'At most 25,000 events can be sent at once.',
    when: 'The request contains more events than `max_events` allows.',
    fix: 'Send the events in several requests.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Unsupported Media Type',
    when: 'The `Content-Type` or `Content-Encoding` is not supported.',
    fix: 'Send `Content-Type: application/json`.',
  },
  VALIDATION_FAILED: {
    status: 422,
    message: 'The name field is required. (and 1 more error)',
    when: 'Fields or parameters are invalid; `errors` lists all of them by path.',
    fix: 'Correct the values listed in `errors`.',
  },
  STATUS_NOT_ALLOWED: {
    status: 422,
    message:
      'The status of an experiment that was never started cannot change from draft to pause, only to preview, running or archive.',
    when: 'The experiment cannot change to this status from its current one.',
    fix: 'Choose one of `allowed_statuses`.',
  },
  EXPERIMENT_NOT_READY: {
    status: 422,
    message: 'The experiment needs at least one variation. (and 2 more errors)',
    when: 'The experiment is not ready to be previewed or started; `errors` lists everything that is missing.',
    fix: 'Add what is missing and repeat the status change.',
  },
  EXPERIMENT_ARCHIVED: {
    status: 422,
    message: 'An archived experiment cannot be updated.',
    when: 'The experiment is archived.',
    fix: 'Restore the experiment with a status change, or clone it.',
  },
  EXPERIMENT_HAS_PARTICIPANTS: {
    status: 422,
    message: 'No variation can be deleted once the experiment has participants.',
    when: 'The change would remove a variation that participants may have seen.',
    fix: "Set the variation's traffic allocation to 0, or clone the experiment.",
  },
  PLAN_FIXED: {
    status: 422,
    message:
      'The planned participants cannot change after the first start: send 10000, or null to remove the plan.',
    when: "An experiment's plan cannot change after the first start.",
    fix: 'Send the current values, or null for both fields to remove the plan.',
  },
  EXCLUSION_FIXED: {
    status: 422,
    message: 'The exclusion_share cannot change while the experiment runs. Pause it first.',
    when: "An experiment's exclusion group and share cannot change while it is running.",
    fix: 'Pause the experiment, change it, and start it again.',
  },
  EXCLUSION_GROUP_FULL: {
    status: 422,
    message:
      'The exclusion group Checkout (1) has 20 % free, but the experiment needs 50 %. Used by: Free shipping (3) 80 %.',
    when: 'The started experiments in the exclusion group, including paused ones, leave a smaller share than this experiment needs.',
    fix: 'Archive one of the experiments listed in `errors`, or lower the `exclusion_share`.',
  },
  IN_USE: {
    status: 422,
    message: 'The page is used by running or previewed experiments: Green buy button (1).',
    when: 'Live experiments or goals need the record; they are listed in `errors`.',
    fix: 'Pause or archive the experiments, or detach the record first.',
  },
  CHANGED_SINCE: {
    status: 422,
    message: 'The name field changed after this entry: it was "Big button" and is now "Small button".',
    when: 'Fields in the change that you want to revert have changed again since then; they are listed in `errors`.',
    fix: 'Revert the later changes first, starting with the newest, or edit the record directly.',
  },
  NOT_REVERTIBLE: {
    status: 422,
    message: 'The action publish cannot be reverted. Roll back instead.',
    when: 'The audit log entry does not record a revertible change.',
    fix: 'Follow the instructions in `message`.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: 'The Idempotency-Key has already been used with a different body or path.',
    when: 'The `Idempotency-Key` was used for a different request in the last 24 hours.',
    fix: 'Choose a new key for each new request.',
  },
  RATE_LIMITED: {
    status: 429,
    message: 'Too Many Attempts.',
    when: 'The user or client address has exceeded its per-minute request limit.',
    fix: 'Retry after the number of seconds in `Retry-After`.',
  },
  EVENTS_RATE_LIMITED: {
    status: 429,
    message: 'Too Many Attempts.',
    when: 'The project has exceeded its `events_per_minute` limit.',
    fix: 'Retry after the number of seconds in `Retry-After`, or raise the limit in the project settings.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: 'Request Header Fields Too Large',
    when: 'The request headers exceed 16 KiB.',
    fix: 'Send fewer or shorter headers and cookies.',
  },
  SERVER_ERROR: {
    status: 500,
    message: 'Server Error',
    when: 'The server failed. Its log has the cause under the `X-Request-Id` of the response.',
    fix: 'Report the `X-Request-Id` to the operator.',
  },
  UNAVAILABLE: {
    status: 503,
    message: 'Service Unavailable',
    when: "The database is unavailable, a queue is full, the server is stopping, or the project's patterns take too long to match.",
    fix: 'Retry after the number of seconds in `Retry-After`.',
  },
  OVERLOADED: {
    status: 503,
    message: 'Service Unavailable',
    when: 'The server is receiving more requests than it can handle.',
    fix: 'Retry after the number of seconds in `Retry-After`, and send requests less often.',
  },
});

export type ErrorCode = keyof typeof ERROR_CODES;
