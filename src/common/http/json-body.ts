import type { Readable } from 'node:stream';
import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { ApiError } from '../errors/api-errors';
import { parseJsonText } from './json-text';
import { requireKnownCoding, unpackerOf } from './packed-body';

const MEBIBYTE = 1024 * 1024;
const BODY_LIMIT_BYTES = MEBIBYTE;
const LARGE_LIMIT_BYTES = 16 * MEBIBYTE;
const FORM_LIMIT_BYTES = 64 * 1024;
const FORM_TYPE = /^application\/x-www-form-urlencoded[\t ]*(?:;|$)/i;
const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i;

/** An unusable body. Its error is sent after authorization, so that unauthorized callers get 401 or 403 instead. */
export class UnreadableBody {
  constructor(readonly refusal: ApiError) {}
}

/** Rejects unusable bodies, after authentication, authorization and lookup of the record. */
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

/** The fields of a form. For duplicate names, the last value is used. */
export type FormFields = Readonly<Record<string, string | undefined>>;

/** The route accepts HTML form submissions only. */
export const TakesForm = (): MethodDecorator => RouteConfig({ formLimit: FORM_LIMIT_BYTES });

/**
 * The same for forms with records: percent-encoded, a character of the longest texts takes up to twelve bytes. Their
 * input is kept if the session has ended.
 */
export const TakesLongForm = (): MethodDecorator =>
  RouteConfig({ formLimit: BODY_LIMIT_BYTES, isInputKept: true });

const LARGE_ROUTE = { takesLargeBodies: true } as const;

/** The route accepts bodies of up to 16 MiB: documents of a whole project. */
export const TakesLargeBody = (): MethodDecorator => RouteConfig(LARGE_ROUTE);

const limitOf = ({ routeOptions }: FastifyRequest): number =>
  'takesLargeBodies' in (routeOptions.config as FastifyContextConfig) ? LARGE_LIMIT_BYTES : BODY_LIMIT_BYTES;

type FormRoute = FastifyContextConfig & { formLimit?: number; isInputKept?: boolean };

/** Null for routes that accept JSON. */
const formLimitOf = ({ routeOptions }: FastifyRequest): number | null =>
  (routeOptions.config as FormRoute).formLimit ?? null;

/** The fields of a submitted form whose input is kept if the session has ended; null for other requests. */
export const keptForm = ({ routeOptions, body }: FastifyRequest): FormFields | null =>
  (routeOptions.config as FormRoute).isInputKept === true && !(body instanceof UnreadableBody)
    ? ((body ?? null) as FormFields | null)
    : null;

/**
 * Accepts JSON bodies only, except on form routes, also with gzip or deflate. An empty body counts as missing, because
 * some clients send the content type with every request.
 */
export function acceptJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const formLimit = formLimitOf(request);
    const isForm = formLimit !== null;
    const limit = formLimit ?? limitOf(request);
    const bytes = await readUpTo(limit, payload);
    if (bytes?.length === 0) {
      return undefined;
    }
    if (!(isForm ? FORM_TYPE : JSON_TYPE).test(request.headers['content-type'] ?? '')) {
      return new UnreadableBody(wrongType(isForm));
    }
    if (bytes === null) {
      return new UnreadableBody(tooLarge(limit));
    }
    const unpacked = requireKnownCoding(request) ?? (await unpackerOf(request)?.(bytes, limit)) ?? bytes;
    if (unpacked instanceof ApiError) {
      return new UnreadableBody(unpacked.code === 'BODY_TOO_LARGE' ? tooLarge(limit) : unpacked);
    }
    return isForm ? parseForm(unpacked) : parseJson(unpacked);
  });
}

const parseForm = (bytes: Buffer): FormFields => Object.fromEntries(new URLSearchParams(bytes.toString()));

const wrongType = (isForm: boolean): ApiError =>
  new ApiError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The Content-Type must be ${isForm ? 'application/x-www-form-urlencoded' : 'application/json'}.`,
  );

const tooLarge = (limit: number): ApiError =>
  new ApiError('BODY_TOO_LARGE', `The body must not be larger than ${sizeText(limit)}.`);

const sizeText = (bytes: number): string =>
  bytes < MEBIBYTE ? `${bytes / 1024} KiB` : `${bytes / MEBIBYTE} MiB`;

function parseJson(bytes: Buffer): unknown {
  const value = parseJsonText(bytes);
  return value instanceof ApiError ? new UnreadableBody(value) : value;
}

/**
 * The bytes of a stream; null if it exceeds the limit, in which case the rest is discarded. The connection stays open for
 * it until the request timeout: many clients lose the response if it is closed while they send.
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
