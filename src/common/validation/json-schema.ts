import { MAX_ID } from './checks';

/*
 * What machines send (collection, decisions, flags, SDKs) is validated by JSON schemas, and the reference shows the
 * same objects. Beside the standard keywords they have:
 *
 * - `x-message`: what is said of any value that does not pass, to go on after "The <field>";
 * - `x-maxDepth`: how deep a value may be nested;
 * - `title`: the name of a value in sentences, where it is not that of its field.
 */

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-message'?: string;
  readonly [keyword: string]: unknown;
}

/** No half of a surrogate pair, which cannot be written in UTF-8. */
export const WHOLE_CHARACTERS = '^[^\\ud800-\\udfff]*$';

/** No NUL, and no half of a surrogate pair. */
const TEXT_PATTERN = '^[^\\u0000\\ud800-\\udfff]*$';

/** A text that may be null, which says the same as leaving it out. @param max in Unicode code points */
export const optionalText = (max: number) =>
  ({ type: ['string', 'null'], pattern: TEXT_PATTERN, maxLength: max }) as const satisfies JsonSchema;

/** The id of a record, which may be written as text. */
export const ID_SCHEMA = {
  type: ['integer', 'string'],
  minimum: 1,
  maximum: MAX_ID,
  format: 'id',
} as const satisfies JsonSchema;
