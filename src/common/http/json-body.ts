import type { Readable } from 'node:stream';
import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { ApiError } from '../errors/api-errors';
import {
  type BodyLimit,
  parseJsonText,
  requireKnownCoding,
  tooLarge,
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
