import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { gunzip, inflate, type InputType, type ZlibOptions } from 'node:zlib';
import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { ApiError } from '../errors/api-errors';

const MEBIBYTE = 1024 * 1024;
const limitAt = (bytes: number): BodyLimit => ({
  bytes,
  text: bytes < MEBIBYTE ? `${bytes / 1024} KiB` : `${bytes / MEBIBYTE} MiB`,
});
const BODY_LIMIT = limitAt(MEBIBYTE);
const LARGE_LIMIT = limitAt(16 * MEBIBYTE);
const FORM_LIMIT = limitAt(64 * 1024);
const FORM_TYPE = {
  name: 'application/x-www-form-urlencoded',
  pattern: /^application\/x-www-form-urlencoded[\t ]*(?:;|$)/i,
};
const JSON_TYPE = { name: 'application/json', pattern: /^application\/json[\t ]*(?:;|$)/i };

/** An invalid body. Its error is sent after authorization, so unauthorized callers get 401 or 403 instead. */
export class UnreadableBody {
  constructor(readonly refusal: ApiError) {}
}

/** Rejects invalid bodies, but only after authentication, authorization and lookup of the record. */
@Injectable()
export class ReadableBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (body instanceof UnreadableBody) {
      throw body.refusal;
    }
    return next.handle();
  }
}

/** The fields of a form. If a name is repeated, its last value is used. */
export type FormFields = Readonly<Record<string, string | undefined>>;

/** Accepts only HTML form submissions on the route. */
export const TakesForm = (): MethodDecorator => RouteConfig({ formLimit: FORM_LIMIT });

/** Like `TakesForm`, for forms whose input is kept when the session has ended. */
export const TakesKeptForm = (): MethodDecorator => RouteConfig({ formLimit: FORM_LIMIT, isInputKept: true });

/**
 * Like `TakesKeptForm`, for forms with records. The limit is higher, because percent-encoding can expand a character of
 * a long text to twelve bytes.
 */
export const TakesLongForm = (): MethodDecorator => RouteConfig({ formLimit: BODY_LIMIT, isInputKept: true });

const LARGE_ROUTE = { takesLargeBodies: true } as const;

/** Accepts bodies of up to 16 MiB on the route, such as documents of a whole project. */
export const TakesLargeBody = (): MethodDecorator => RouteConfig(LARGE_ROUTE);

const limitOf = ({ routeOptions }: FastifyRequest): BodyLimit =>
  'takesLargeBodies' in (routeOptions.config as FastifyContextConfig) ? LARGE_LIMIT : BODY_LIMIT;

type FormRoute = FastifyContextConfig & { formLimit?: BodyLimit; isInputKept?: boolean };

/** The limit of a form route; null for routes that accept JSON. */
const formLimitOf = ({ routeOptions }: FastifyRequest): BodyLimit | null =>
  (routeOptions.config as FormRoute).formLimit ?? null;

/** The fields of a submitted form whose input is kept when the session has ended; null for other requests. */
export const keptForm = ({ routeOptions, body }: FastifyRequest): FormFields | null =>
  (routeOptions.config as FormRoute).isInputKept === true && !(body instanceof UnreadableBody)
    ? ((body ?? null) as FormFields | null)
    : null;

/**
 * Accepts only JSON bodies, except on form routes. Bodies may be compressed with gzip or deflate. An empty body counts
 * as missing, because some clients send a content type with every request.
 */
export function acceptJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const formLimit = formLimitOf(request);
    const isForm = formLimit !== null;
    const limit = formLimit ?? limitOf(request);
    const bytes = await readUpTo(limit.bytes, payload);
    if (bytes?.length === 0) {
      return undefined;
    }
    const { name, pattern } = isForm ? FORM_TYPE : JSON_TYPE;
    if (!pattern.test(request.headers['content-type'] ?? '')) {
      return new UnreadableBody(wrongType(name));
    }
    if (bytes === null) {
      return new UnreadableBody(tooLarge(limit.text));
    }
    const unpacked = requireKnownCoding(request) ?? (await unpackerOf(request)?.(bytes, limit)) ?? bytes;
    if (unpacked instanceof ApiError) {
      return new UnreadableBody(unpacked);
    }
    return isForm ? parseForm(unpacked) : parseJson(unpacked);
  });
}

const parseForm = (bytes: Buffer): FormFields => Object.fromEntries(new URLSearchParams(bytes.toString()));

function parseJson(bytes: Buffer): unknown {
  const value = parseJsonText(bytes);
  return value instanceof ApiError ? new UnreadableBody(value) : value;
}

/**
 * The bytes of a stream; null if it exceeds the limit. In that case the rest is discarded, and the connection stays
 * open until the request timeout, because many clients lose the response if it is closed while they are sending.
 */
function readUpTo(limit: number, stream: Readable): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
      } else {
        chunks.length = 0;
        resolve(null);
      }
    });
    stream.on('end', () => resolve(Buffer.concat(chunks)));
    stream.on('error', () => reject(new ApiError('BODY_INCOMPLETE')));
  });
}

const BYTE_ORDER_MARK = Buffer.from('\u{feff}');

/** @param accepted the content types that the route accepts; the error's status is 415 */
export const wrongType = (accepted: string): ApiError =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', `The Content-Type must be ${accepted}.`);

/** @param limit the limit in words; the error's status is 413 */
export const tooLarge = (limit: string): ApiError =>
  new ApiError('BODY_TOO_LARGE', `The body must not be larger than ${limit}.`);

/** The value of a JSON text, or an error (400) that explains why the text is invalid. */
export function parseJsonText(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) {
    return new ApiError('BODY_NOT_JSON', 'The body is not in UTF-8.');
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
 * Back-end libraries compress their batches, some of them by default. `x-gzip` is an old name for gzip (RFC 9110,
 * section 8.4.1.3).
 */
const UNPACKERS: Readonly<Record<string, Unpack | null>> = {
  identity: null,
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
};

const codingOf = ({ headers }: FastifyRequest): string =>
  (headers['content-encoding'] ?? 'identity').trim().toLowerCase();

/** Rejects bodies in content codings that the server does not accept (415). */
export const requireKnownCoding = (request: FastifyRequest): ApiError | undefined =>
  Object.hasOwn(UNPACKERS, codingOf(request))
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
 * decompressed body is larger than the limit (413), or if the bytes are not in the declared coding (400).
 */
export function unpackerOf(
  request: FastifyRequest,
): ((bytes: Buffer, limit: BodyLimit) => Promise<Unpacked>) | null {
  const unpack = UNPACKERS[codingOf(request)] ?? null;
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
