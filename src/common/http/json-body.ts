import type { Readable } from 'node:stream';
import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { from, mergeMap, type Observable } from 'rxjs';
import { ApiError } from '../errors/api-errors';
import {
  type BodyLimit,
  hasTooManyParts,
  parseJsonText,
  requireKnownCoding,
  tooLarge,
  tooManyParts,
  unpackerOf,
  wrongType,
} from './body-decoding';

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

/** Many small parts take much longer to parse than text of the same length. */
const MAX_PARTS = 500_000;
const MAX_FORM_FIELDS = 10_000;

/** A body as received. `readBody` decompresses and parses it. */
class ReceivedBody {
  constructor(
    readonly bytes: Buffer,
    readonly limit: BodyLimit,
    readonly parse: (bytes: Buffer) => unknown,
  ) {}
}

/** An invalid body. Its error is sent after authorization, so unauthorized callers get 401 or 403 instead. */
export class UnreadableBody {
  constructor(readonly refusal: ApiError) {}
}

/**
 * Decompresses and parses the body of a request, unless this has been done. Call it only after the checks that need no
 * body, because a few kilobytes from an unauthorized client can expand to a body that takes seconds to parse.
 */
export async function readBody(request: FastifyRequest): Promise<void> {
  const { body } = request;
  if (!(body instanceof ReceivedBody)) {
    return;
  }
  const { bytes, limit, parse } = body;
  const unpacked = (await unpackerOf(request)?.(bytes, limit)) ?? bytes;
  request.body = unpacked instanceof ApiError ? new UnreadableBody(unpacked) : parse(unpacked);
}

/** Rejects invalid bodies, but only after authentication, authorization and lookup of the record. */
@Injectable()
export class ReadableBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return from(readBody(request)).pipe(
      mergeMap(() => {
        if (request.body instanceof UnreadableBody) {
          throw request.body.refusal;
        }
        return next.handle();
      }),
    );
  }
}

/** The fields of a form. If a name is repeated, its last value is used. */
export type FormFields = Readonly<Record<string, string | undefined>>;

/** Accepts only HTML form submissions on the route. */
export const TakesForm = (): MethodDecorator => RouteConfig({ formLimit: FORM_LIMIT });

/** Like `TakesForm`, for forms whose input is kept when the session has ended or the server is busy. */
export const TakesKeptForm = (): MethodDecorator => RouteConfig({ formLimit: FORM_LIMIT, isInputKept: true });

/**
 * Like `TakesKeptForm`, for forms with records. The limit is higher, because percent-encoding can turn one character of
 * long text into twelve bytes.
 */
export const TakesLongForm = (): MethodDecorator => RouteConfig({ formLimit: BODY_LIMIT, isInputKept: true });

const LARGE_ROUTE = { takesLargeBodies: true } as const;

/** Accepts bodies of up to 16 MiB on the route, such as documents that contain a whole project. */
export const TakesLargeBody = (): MethodDecorator => RouteConfig(LARGE_ROUTE);

const limitOf = ({ routeOptions }: FastifyRequest): BodyLimit =>
  'takesLargeBodies' in (routeOptions.config as FastifyContextConfig) ? LARGE_LIMIT : BODY_LIMIT;

type FormRoute = FastifyContextConfig & { formLimit?: BodyLimit; isInputKept?: boolean };

/** The limit of a form route; null for routes that accept JSON. */
const formLimitOf = ({ routeOptions }: FastifyRequest): BodyLimit | null =>
  (routeOptions.config as FormRoute).formLimit ?? null;

/** The fields of a submitted form whose input is kept; null for other requests, and before the body has been read. */
export const keptForm = ({ routeOptions, body }: FastifyRequest): FormFields | null =>
  (routeOptions.config as FormRoute).isInputKept === true &&
  !(body instanceof UnreadableBody || body instanceof ReceivedBody)
    ? ((body ?? null) as FormFields | null)
    : null;

/**
 * Accepts only JSON bodies, except on form routes. Bodies may be compressed with gzip or deflate; `readBody` reads them.
 * An empty body counts as missing, because some clients send a content type with every request.
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
    const refusal = requireKnownCoding(request);
    return refusal === undefined
      ? new ReceivedBody(bytes, limit, isForm ? parseForm : parseJson)
      : new UnreadableBody(refusal);
  });
}

function parseForm(bytes: Buffer): FormFields | UnreadableBody {
  const text = bytes.toString();
  return text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS
    ? new UnreadableBody(tooManyParts(`${MAX_FORM_FIELDS.toLocaleString('en')} fields`))
    : Object.fromEntries(new URLSearchParams(text));
}

function parseJson(bytes: Buffer): unknown {
  const value = hasTooManyParts(bytes, MAX_PARTS)
    ? tooManyParts(`${MAX_PARTS.toLocaleString('en')} objects, lists and fields`)
    : parseJsonText(bytes);
  return value instanceof ApiError ? new UnreadableBody(value) : value;
}

/**
 * The bytes of a stream; null if it exceeds the limit. In that case, the rest is discarded and the connection stays
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
