/*
 * Length limits for external input. Text that exceeds its limit is rejected or truncated on arrival, so longer text is
 * never kept, compared or stored. `docs/security.md` has the same table.
 */

/** Body of a collection request, in bytes. Longer bodies are rejected (413). */
export const MAX_DELIVERY_BYTES = 512_000;

/** Client key, in characters. Longer keys count as unknown. */
export const MAX_CLIENT_KEY = 32;

/** Visitor id, in characters. Longer ids are rejected. */
export const MAX_VISITOR_ID = 64;

/** Message id, in characters. Longer ids are rejected. */
export const MAX_MESSAGE_ID = 255;

/** URL of a view, in characters. Decisions and collection reject longer URLs. */
export const MAX_ADDRESS = 2_048;

/** `url` of a remote evaluation request, in characters. Longer URLs are rejected. */
export const MAX_EVALUATION_ADDRESS = 8_192;

/** User agent, in characters. Longer ones are truncated. */
export const MAX_USER_AGENT = 1_000;

/** User agent in a decision, in characters. Longer ones are rejected. */
export const MAX_GIVEN_USER_AGENT = 4_096;

/** Locale in a decision, in characters. Longer ones are rejected. */
export const MAX_LOCALE = 100;

/** Page name in a decision, in characters. Longer names are rejected. */
export const MAX_PAGE_NAME = 64;

/**
 * Text that is checked against the conditions of pages and audiences, in UTF-16 code units. The server and the snippet
 * truncate longer text. This is twice the limit of a condition's value, so truncated text never equals a value.
 */
export const MAX_COMPARED = 4_096;

/** `Accept-Encoding` header, in characters. If the header is longer, the response is not compressed. */
export const MAX_ACCEPT_ENCODING = 256;

/** Error message reported by a snippet, in characters. Longer messages are truncated. */
export const MAX_ERROR_MESSAGE = 500;

/** Strings in the list of recent messages, in UTF-16 code units. Longer strings are truncated. */
export const MAX_LISTED = { type: 20, name: 64, value: 32, detail: 200 } as const;

/**
 * Maximum delay of events, in microseconds: 72 hours. Results become final this long after the experiment is archived.
 * The bundler does not drop unused products, so this is one number.
 */
export const LATE_MICROS = 259_200_000_000;

/** Maximum absolute value of a conversion, in the goal's unit. */
export const MAX_VALUE = 1_000_000_000;
