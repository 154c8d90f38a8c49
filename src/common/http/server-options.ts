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
import { requestId, requestTarget } from './request-headers';
import { securityHeaders } from './security-headers';

const MAX_PARAM_LENGTH = 1_000;

/** Codes for Node's parser and timeout errors; all others are 400. */
const BROKEN: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Has a response already started? A second query string would be read as part of it. */
const isAnswering = (socket: Socket): boolean =>
  '_httpMessage' in socket && (socket._httpMessage as ServerResponse | null)?.headersSent === true;

/** A request that is answered before any hook, for the access log. */
export interface UnhookedRequest {
  requestId: string;
  /** Absent if it could not be parsed. */
  method?: string;
  url?: string;
  status: number;
  /** The code of the error. */
  reason?: string;
}

/** How requests that no hook sees are answered. */
interface UnhookedAnswers {
  log: (request: UnhookedRequest) => void;
  /** The error for a URL that cannot be read; null for the common one. */
  unreadableUrl: (url: string) => ApiError | null;
}

interface Unhooked extends UnhookedAnswers {
  publicUrl: string;
}

/** Requests that cannot be parsed never reach the error filter, so their error response is sent here. */
function brokenRequestHandler({ publicUrl, log }: Unhooked): (error: Error, socket: Socket) => void {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const code = BROKEN[error.code ?? ''] ?? 'BAD_REQUEST';
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
    // `end` alone would leave the connection open until the client closes it.
    socket.destroySoon();
    log({ requestId, status, reason: error.code });
  };
}

/** URLs that cannot be decoded, or with ids that are too long, are 404. */
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

/** Options of the Fastify server. */
export function serverOptions(
  config: Config,
  answers: Partial<UnhookedAnswers> = {},
): FastifyHttpOptions<Server> {
  const { log = () => undefined, unreadableUrl = () => null } = answers;
  const unhooked = { publicUrl: config.publicUrl, log, unreadableUrl };
  return {
    logger: false,
    // During graceful shutdown, requests on open connections are still served; the response closes the connection.
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
