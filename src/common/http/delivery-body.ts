import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-errors';
import { MAX_DELIVERY_BYTES } from '../limits';
import { type BodyLimit, parseJsonText, tooLarge, unpackerOf, wrongType } from './body-decoding';

const FORM = 'application/x-www-form-urlencoded';
/**
 * `sendBeacon` sends text/plain, which needs no preflight. RudderStack's Node library sends compressed JSON with a
 * form's content type.
 */
const CONTENT_TYPES = ['application/json', 'text/plain', FORM];
const ACCEPTED = 'application/json or text/plain';
const LIMIT: BodyLimit = {
  bytes: MAX_DELIVERY_BYTES,
  text: `${MAX_DELIVERY_BYTES.toLocaleString('en')} bytes`,
};

/** The parsed body of a request. */
export interface ReadBody {
  bytes: number;
  /** Undefined if the body is not JSON. */
  value: unknown;
  /** The error if the body is not JSON. */
  refusal?: ApiError;
}

/**
 * Parses request bodies in this scope; handlers validate them. Bodies over the limit are rejected (413), both before
 * and after decompression.
 */
export function acceptDeliveryBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    CONTENT_TYPES,
    { parseAs: 'buffer', bodyLimit: LIMIT.bytes },
    (request, body: Buffer, done) => {
      const unpack = unpackerOf(request);
      if (unpack === null) {
        const isForm = request.headers['content-type']?.startsWith(FORM) === true;
        done(isForm ? wrongType(ACCEPTED) : null, parseBody(body));
        return;
      }
      void unpack(body, LIMIT).then((unpacked) =>
        unpacked instanceof ApiError ? done(unpacked) : done(null, parseBody(unpacked)),
      );
    },
  );
}

const FRAMEWORK_ERRORS: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => wrongType(ACCEPTED),
  FST_ERR_CTP_BODY_TOO_LARGE: () => tooLarge(LIMIT.text),
};

/**
 * Replaces the framework's errors about bodies, which do not name the accepted types. The framework would also close
 * the connection, and many clients lose the response if that happens while they are sending. Instead, the server
 * discards the rest of the body until the request timeout.
 */
export function bodyRefusal(error: unknown, reply: FastifyReply): unknown {
  const replacement = FRAMEWORK_ERRORS[(error as { code?: string } | null)?.code ?? ''];
  if (replacement === undefined) {
    return error;
  }
  reply.removeHeader('connection');
  return replacement();
}

function parseBody(body: Buffer): ReadBody {
  const value = parseJsonText(body);
  const bytes = body.length;
  return value instanceof ApiError ? { bytes, value: undefined, refusal: value } : { bytes, value };
}

const NO_BODY: ReadBody = { bytes: 0, value: undefined };

/** The body of a request to delivery or collection. */
export const bodyOf = ({ body }: FastifyRequest): ReadBody => (body ?? NO_BODY) as ReadBody;

/**
 * The JSON body of a request, or the given default if it has none.
 * @throws ApiError (400) if the body is not JSON
 */
export function jsonOf(request: FastifyRequest, byDefault?: object): unknown {
  const { bytes, value, refusal } = bodyOf(request);
  const body = bytes === 0 ? byDefault : value;
  if (body === undefined) {
    throw refusal ?? new ApiError('BODY_NOT_JSON');
  }
  return body;
}
