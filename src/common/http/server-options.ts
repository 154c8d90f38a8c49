import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import type { Config } from '../../config/config';

const MAX_PARAM_LENGTH = 1_000;

/** Ids that clients send are kept when they cannot do harm in a log or header. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

/** The same for every answer; nothing here is worth building anew for each. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'private, no-cache',
} as const;

/** The reference is the one thing that is shown as a page: its own scripts run, and nothing from elsewhere. */
const REFERENCE_HEADERS = {
  ...SECURITY_HEADERS,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const;

const REFERENCE_ADDRESS = /^\/docs(?:[/?]|$)/;

/** The headers that protect who opens this address in a browser. */
export function securityHeaders(address: string): Readonly<Record<string, string>> {
  return REFERENCE_ADDRESS.test(address) ? REFERENCE_HEADERS : SECURITY_HEADERS;
}

/** A request that cannot even be parsed never reaches the error filter, so it is answered here. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isHeaderTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const [status, message] = isHeaderTooLarge
    ? ['431 Request Header Fields Too Large', 'Request Header Fields Too Large']
    : ['400 Bad Request', 'Bad Request'];
  const body = JSON.stringify({ message });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Addresses that do not decode, or whose ids are too long, name nothing that exists. */
function answerBrokenAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status =
    error.statusCode === 414 || error.code === 'FST_ERR_BAD_URL' ? 404 : (error.statusCode ?? 400);
  void reply
    .status(status)
    .headers({ ...securityHeaders(request.url), 'x-request-id': request.id })
    .send({ message: status === 404 ? 'Not Found' : error.message });
}

/** Options of the Fastify server. */
export function serverOptions(config: Config): FastifyServerOptions {
  return {
    logger: false,
    return503OnClosing: false,
    trustProxy: config.trustProxy,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    frameworkErrors: answerBrokenAddress,
    clientErrorHandler: answerBrokenRequest,
  };
}
