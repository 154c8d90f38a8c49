import { isUtf8 } from 'node:buffer';
import { gunzip, inflate, type InputType, type ZlibOptions } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-errors';

const BYTE_ORDER_MARK = Buffer.from('\u{feff}');

/** @param accepted the content types that the route accepts; the error's status is 415 */
export const wrongType = (accepted: string): ApiError =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', `The Content-Type must be ${accepted}.`);

/** @param limit the limit in words; the error's status is 413 */
export const tooLarge = (limit: string): ApiError =>
  new ApiError('BODY_TOO_LARGE', `The body must not be larger than ${limit}.`);

/** @param limit the limit in words; the error's status is 413 */
export const tooManyParts = (limit: string): ApiError =>
  new ApiError('BODY_TOO_LARGE', `The body must not contain more than ${limit}.`);

const [QUOTE, BACKSLASH, COLON, BRACKET, BRACE] = Buffer.from('"\\:[{');

/** Whether JSON text has more objects, lists and fields than allowed. Counts them without parsing the text. */
export function hasTooManyParts(bytes: Buffer, max: number): boolean {
  if (bytes.length <= max) {
    return false;
  }
  let parts = 0;
  let isText = false;
  for (let index = 0; parts <= max && index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) {
      isText = !isText;
    } else if (isText) {
      index += byte === BACKSLASH ? 1 : 0;
    } else if (byte === COLON || byte === BRACKET || byte === BRACE) {
      parts += 1;
    }
  }
  return parts > max;
}

/** The parsed JSON value, or an error (400) that explains why the text is invalid. */
export function parseJsonText(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) {
    return new ApiError('BODY_NOT_JSON', 'The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    const hasMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    // Editors and shells on Windows add a byte order mark, which is invisible.
    return new ApiError(
      'BODY_NOT_JSON',
      hasMark ? 'The body begins with a byte order mark (BOM). Send it without one.' : undefined,
    );
  }
}

type Unpack = (
  bytes: InputType,
  options: ZlibOptions,
  done: (error: Error | null, result: Buffer) => void,
) => void;

/**
 * Back-end libraries can compress their batches, and some do so by default. `x-gzip` is an old name for gzip (RFC 9110,
 * section 8.4.1.3).
 */
const UNPACKERS: ReadonlyMap<string, Unpack | null> = new Map([
  ['identity', null],
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
]);

const codingOf = ({ headers }: FastifyRequest): string =>
  (headers['content-encoding'] ?? 'identity').trim().toLowerCase();

/** Rejects bodies in content codings that the server does not accept (415). */
export const requireKnownCoding = (request: FastifyRequest): ApiError | undefined =>
  UNPACKERS.has(codingOf(request))
    ? undefined
    : new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Encoding must be gzip or deflate.');

type Unpacked = Buffer | ApiError;

/** The maximum body size of a route. */
export interface BodyLimit {
  bytes: number;
  /** The limit as text, for messages. */
  text: string;
}

/**
 * A function that decompresses the body of a request; null if the body is not compressed. Its result is an error if the
 * decompressed body is larger than the limit (413), or if the bytes do not match the declared coding (400).
 */
export function unpackerOf(
  request: FastifyRequest,
): ((bytes: Buffer, limit: BodyLimit) => Promise<Unpacked>) | null {
  const unpack = UNPACKERS.get(codingOf(request)) ?? null;
  return (
    unpack &&
    ((bytes, { bytes: maxOutputLength, text }) =>
      new Promise((resolve) => {
        unpack(bytes, { maxOutputLength }, (error, unpacked) =>
          resolve(error === null ? unpacked : unpackError(error, text)),
        );
      }))
  );
}

const unpackError = ({ code }: NodeJS.ErrnoException, limit: string): ApiError =>
  code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : new ApiError('CONTENT_ENCODING_MISMATCH');
