import { MAX_VISITOR_ID } from '../common/limits';
import type { JsonSchema } from '../common/validation/json-schema';
import { VISITOR_ID_PATTERN } from './visitor-id';

/** Schema of a visitor id, with the maximum length that applies everywhere. */
export const VISITOR_ID = {
  type: 'string',
  pattern: VISITOR_ID_PATTERN,
  'x-message': `must be 1 to ${MAX_VISITOR_ID} printable ASCII characters`,
} as const satisfies JsonSchema;

/** Schema of a visitor id in requests. A number is read as its digits, because SDKs hash it that way; see `idText`. */
export const GIVEN_VISITOR_ID = {
  ...VISITOR_ID,
  type: ['string', 'integer'],
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
} as const satisfies JsonSchema;

/** An id as a string. Values other than whole numbers are not converted, so that they can be rejected. */
export const idText = (value: unknown): unknown => (Number.isSafeInteger(value) ? String(value) : value);

/**
 * MySQL ignores trailing spaces in comparisons, so ids with trailing spaces get a suffix. The suffix character is not
 * allowed in ids and sorts after all allowed characters, so the sort order is the same on all databases.
 */
export const storedVisitor = (anonymousId: string): string =>
  anonymousId.endsWith(' ') ? `${anonymousId}\x7f` : anonymousId;

/** The id as the client sent it. */
export const givenVisitor = (stored: string): string => stored.replace(/\x7f$/, '');
