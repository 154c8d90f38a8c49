import { MAX_ID } from './values';

/*
 * JSON schemas validate the input that programs send (collection, decisions, flags, SDKs), and the reference shows
 * them. They have these additional keywords:
 *
 * - `x-message`: the message for any invalid value, which follows "The <field>";
 * - `x-maxDepth`: the maximum nesting depth of a value;
 * - `title`: the name of a value in sentences, if it differs from the field's name.
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

/** A string without lone surrogates, which UTF-8 cannot encode. */
export const WHOLE_CHARACTERS = '^[^\\ud800-\\udfff]*$';

/** A string without NUL characters or lone surrogates. */
const TEXT_PATTERN = '^[^\\u0000\\ud800-\\udfff]*$';

/** A string. Null means the same as an absent field. @param max in Unicode code points */
export const optionalText = (max: number) =>
  ({ type: ['string', 'null'], pattern: TEXT_PATTERN, maxLength: max }) as const satisfies JsonSchema;

/** The id of a record, as a number or a string. */
export const ID_SCHEMA = {
  type: ['integer', 'string'],
  minimum: 1,
  maximum: MAX_ID,
  format: 'id',
} as const satisfies JsonSchema;
