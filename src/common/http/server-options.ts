import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyHttpOptions, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config';
import { ApiError, NotFoundError } from '../errors/api-errors';
import { ERROR_CODES, type ErrorCode } from '../errors/codes';
import { codeOfStatus } from '../errors/api-errors';
import { timeLimits } from './connections';
import { corsWithoutRoute } from './cors';
import { requestId, requestTarget, securityHeaders } from './headers';

const MAX_PARAM_LENGTH = 1_000;

/** Codes for errors of Node's HTTP parser and for timeouts. See `brokenCode` for all others. */
const BROKEN: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** The code of Node's HTTP parser for a connection that ends inside a request. */
const CUT_OFF = 'HPE_INVALID_EOF_STATE';

/** The response to the request that a socket is receiving or has received; null before its headers are complete. */
const responseOn = (socket: Socket): ServerResponse | null =>
  '_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null;

function brokenCode({ code = '' }: NodeJS.ErrnoException, socket: Socket): ErrorCode {
  const isBodyCutOff = code === CUT_OFF && responseOn(socket)?.req.complete === false;
  return isBodyCutOff ? 'BODY_INCOMPLETE' : (BROKEN[code] ?? 'BAD_REQUEST');
}

/** A request that was answered before any hook ran, as reported to the access log. */
export interface UnhookedRequest {
  requestId: string;
  /** The method, which, like the URL, is absent if the request could not be parsed. */
  method?: string;
  url?: string;
  status: number;
  /** The code of the error. */
  reason?: string;
}

/** How to respond to requests that never reach a hook. */
interface UnhookedAnswers {
  log: (request: UnhookedRequest) => void;
  /** The error for a URL that cannot be decoded; null for the default error. */
  unreadableUrl: (url: string) => ApiError | null;
}

interface Unhooked extends UnhookedAnswers {
  publicUrl: string;
}

/** Requests that cannot be parsed never reach the error filter, so this handler sends their error response. */
function brokenRequestHandler({ publicUrl, log }: Unhooked): (error: Error, socket: Socket) => void {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    // A second response would be read as part of the first one.
    const isAnswering = responseOn(socket)?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    const code = brokenCode(error, socket);
    const { status, message } = ERROR_CODES[code];
    const requestId = randomUUID();
    const body = JSON.stringify({ message, code });
    const headers = {
      ...securityHeaders(publicUrl, ''),
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write([`HTTP/1.1 ${status} ${message}`, ...lines, '', body].join('\r\n'));
    // With `end` alone, the connection would stay open until the client closes it.
    socket.destroySoon();
    log({ requestId, status, reason: error.code });
  };
}

/** Responds with 404 to URLs that cannot be decoded or contain an id that is too long. */
function brokenAddressHandler({
  publicUrl,
  log,
  unreadableUrl,
}: Unhooked): NonNullable<FastifyHttpOptions<Server>['frameworkErrors']> {
  return (error: FastifyError, { id: requestId, method, url }: FastifyRequest, reply: FastifyReply): void => {
    const isUnreadable = error.statusCode === 414 || error.code === 'FST_ERR_BAD_URL';
    const { status, body } = isUnreadable ? (unreadableUrl(url) ?? new NotFoundError()) : ofFramework(error);
    void reply
      .status(status)
      .headers({ ...securityHeaders(publicUrl, url), ...corsWithoutRoute(url), 'x-request-id': requestId })
      .send(body);
    log({ requestId, method, url, status, reason: error.code });
  };
}

function ofFramework({ statusCode: status = 400, message }: FastifyError): ApiError {
  return new ApiError(codeOfStatus(status), message, {}, {}, status);
}

/** The options of the Fastify server. */
export function serverOptions(
  config: Config,
  answers: Partial<UnhookedAnswers> = {},
): FastifyHttpOptions<Server> {
  const { log = () => undefined, unreadableUrl = () => null } = answers;
  const unhooked = { publicUrl: config.publicUrl, log, unreadableUrl };
  return {
    logger: false,
    // During graceful shutdown, clients may still send a request on an open connection. The response closes the
    // connection.
    return503OnClosing: false,
    ...timeLimits(config.requestTimeoutSeconds * 1000),
    trustProxy: config.trustProxy,
    genReqId: requestId,
    rewriteUrl: requestTarget,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    frameworkErrors: brokenAddressHandler(unhooked),
    clientErrorHandler: brokenRequestHandler(unhooked),
  };
}
