import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyHttpOptions, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config';
import { ERROR_CODES, type ErrorCode } from '../errors/codes';
import { codeOfStatus } from '../errors/status-codes';
import { timeLimits } from './connections';
import { requestId } from './request-headers';
import { securityHeaders } from './security-headers';

const MAX_PARAM_LENGTH = 1_000;

/** Codes for Node's parser and timeout errors; all others are 400. */
const BROKEN: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Has a response already started? A second one would be read as part of it. */
const isAnswering = (socket: Socket): boolean =>
  '_httpMessage' in socket && (socket._httpMessage as ServerResponse | null)?.headersSent === true;

/** Requests that cannot be parsed never reach the error filter, so their error response is sent here. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const code = BROKEN[error.code ?? ''] ?? 'BAD_REQUEST';
  const { status, message } = ERROR_CODES[code];
  const body = JSON.stringify({ message, code });
  socket.write(
    `HTTP/1.1 ${status} ${message}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // `end` alone would leave the connection open until the client closes it.
  socket.destroySoon();
}

/** URLs that cannot be decoded, or with ids that are too long, are 404. */
function brokenAddressHandler(publicUrl: string): NonNullable<FastifyHttpOptions<Server>['frameworkErrors']> {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const status =
      error.statusCode === 414 || error.code === 'FST_ERR_BAD_URL' ? 404 : (error.statusCode ?? 400);
    void reply
      .status(status)
      .headers({ ...securityHeaders(publicUrl, request.url), 'x-request-id': request.id })
      .send({ message: status === 404 ? 'Not Found' : error.message, code: codeOfStatus(status) });
  };
}

/** Options of the Fastify server. */
export function serverOptions(config: Config): FastifyHttpOptions<Server> {
  return {
    logger: false,
    // During graceful shutdown, requests on open connections are still served; the response closes the connection.
    return503OnClosing: false,
    ...timeLimits(config.requestTimeoutSeconds * 1000),
    trustProxy: config.trustProxy,
    genReqId: requestId,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    frameworkErrors: brokenAddressHandler(config.publicUrl),
    clientErrorHandler: answerBrokenRequest,
  };
}
