import { isUtf8 } from 'node:buffer';
import { ApiError } from '../errors/api-errors';

const BYTE_ORDER_MARK = Buffer.from('\u{feff}');

/** @param accepted the content types that the route accepts (415) */
export const wrongType = (accepted: string): ApiError =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', `The Content-Type must be ${accepted}.`);

/** @param limit in words (413) */
export const tooLarge = (limit: string): ApiError =>
  new ApiError('BODY_TOO_LARGE', `The body must not be larger than ${limit}.`);

/** The value of a JSON text, or the error (400) that says why it is none. */
export function parseJsonText(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) {
    return new ApiError('BODY_NOT_JSON', 'The body is not in UTF-8.');
  }
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    const hasMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    // Editors and shells on Windows write this invisible character.
    return new ApiError(
      'BODY_NOT_JSON',
      hasMark ? 'The body begins with a byte order mark (BOM). Send it without one.' : undefined,
    );
  }
}
