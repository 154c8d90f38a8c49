import { Logger } from '@nestjs/common';
import { toWebRequest } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  INVALID_REQUEST,
  isLegacyRequest,
  McpServer,
  PARSE_ERROR,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ActorRequest } from '../platform/access/actor';
import { countUnguarded, RateLimitedRequest, refundHit } from '../platform/rate-limit/rate-limit.guard';
import type { WindowThrottlerStorage } from '../platform/rate-limit/rate-window';
import { actorOf } from '../platform/authentication/token.guard';
import { ApiError, UnauthenticatedError } from '../common/errors/api-errors';
import { refusing } from '../common/errors/error.filter';
import { failureLog } from '../common/errors/failure-log';
import { readBody, UnreadableBody } from '../common/http/json-body';
import { addRoute, checksAccess } from '../common/http/raw-routes';
import { isTooDeep, MAX_DEPTH } from '../common/validation/values';
import type { TokenVerifier } from '../users/tokens/token-verifier';
import { CallApi, parseJson, toWire } from './api-port';
import { createMcpServer } from './server';
import type { Tool } from './tool';

/** The user on whose behalf the API is called. */
interface Caller {
  authorization: string;
  address: string;
  /** Identifies the request's log lines. */
  requestId: string;
}

/** Calls the API inside this process, like a request from the caller over the network. */
function injectPort(server: FastifyInstance, caller: Caller): CallApi {
  return async (request) => {
    const { method, address, headers, payload } = toWire(request);
    const answer = await server.inject({
      method,
      url: address,
      remoteAddress: caller.address,
      headers: { ...headers, authorization: caller.authorization, 'x-request-id': caller.requestId },
      ...(payload === undefined ? {} : { payload }),
    });
    const sent = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
    return { status: answer.statusCode, headers: Object.fromEntries(sent), body: parseJson(answer.payload) };
  };
}

const logger = new Logger('MCP');

interface McpOptions {
  verifier: TokenVerifier;
  hits: WindowThrottlerStorage;
  publicUrl: string;
  /** The tools for assistants. */
  tools: () => readonly Tool[];
}

/**
 * Serves the tools over Streamable HTTP. The route is stateless, so any process can handle any request. Towards the
 * rate limit, a message counts as one request by its user, or as the API calls that its tool makes.
 */
export function addMcpRoute(server: FastifyInstance, options: McpOptions): void {
  checksAccess(server, 'token');
  server.setErrorHandler(refusing('MCP'));
  server.addHook('onRequest', async (request: ActorRequest, reply) => {
    refuseOtherSites(request, new URL(options.publicUrl).origin);
    await authenticate(request, reply, options);
  });
  addRoute(server, {
    method: 'POST',
    path: '/mcp',
    access: 'token',
    handler: async (request, reply) => {
      const answer = await serve(server, request, options.tools);
      return reply
        .code(answer.status)
        .headers(Object.fromEntries(answer.headers))
        .send(await answer.text());
    },
  });
}

/** Checks `Origin` to prevent DNS rebinding. */
function refuseOtherSites({ headers: { origin } }: FastifyRequest, own: string): void {
  if (origin !== undefined && origin !== own) {
    throw new ApiError('ORIGIN_NOT_ALLOWED', 'Requests from other sites are not allowed.');
  }
}

/** Authenticates the caller and counts the message. Failed token attempts count towards the API's rate limit. */
async function authenticate(
  request: ActorRequest & RateLimitedRequest,
  reply: FastifyReply,
  { verifier, hits }: McpOptions,
): Promise<void> {
  request.actor = await actorOf(request, verifier);
  request.rateHit = await countUnguarded(hits, request, reply);
  if (request.actor === undefined) {
    throw new UnauthenticatedError();
  }
}

async function serve(
  server: FastifyInstance,
  request: FastifyRequest,
  tools: McpOptions['tools'],
): Promise<Response> {
  await readBody(request);
  const { body } = request;
  if (body instanceof UnreadableBody) {
    return protocolError(body.refusal.status, PARSE_ERROR, body.refusal.message);
  }
  if (typeof body !== 'object' || body === null) {
    return protocolError(400, INVALID_REQUEST, 'The body must be one JSON-RPC message.');
  }
  if (Array.isArray(body)) {
    return protocolError(400, INVALID_REQUEST, 'Send one message per request.');
  }
  if (isTooDeep(body)) {
    return protocolError(400, INVALID_REQUEST, `The message is nested deeper than ${MAX_DEPTH} levels.`);
  }
  // Fails for invalid URLs, for example if the Host header contains a space.
  const web = await toWebRequest(request.raw, body).catch(() => null);
  if (web === null) {
    return protocolError(400, INVALID_REQUEST, 'The Host header must be the address of this server.');
  }
  const create = () => serverFor(server, request, tools());
  return (await isLegacyRequest(web, body))
    ? serveWithHandshake(create(), web, body)
    : serveAlone(create, web, body);
}

/** An MCP server whose tools call the API on behalf of the caller. */
function serverFor(server: FastifyInstance, request: FastifyRequest, tools: readonly Tool[]): McpServer {
  const { headers, ip, id } = request;
  const call = injectPort(server, { authorization: headers.authorization ?? '', address: ip, requestId: id });
  const report = (error: unknown): void =>
    failureLog.report(logger, error, { requestId: id }, 'A tool failed');
  const callCounted: CallApi = async (toApi) => {
    // The API calls are counted instead of the message.
    await refundHit(request);
    return call(toApi);
  };
  return createMcpServer(tools, { call: callCounted, report });
}

/** Serves protocol revisions up to 2025, which begin with `initialize`. */
async function serveWithHandshake(own: McpServer, web: Request, body: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await own.connect(transport);
  try {
    return await transport.handleRequest(web, { parsedBody: body });
  } finally {
    await own.close();
  }
}

/** Serves later revisions, whose messages are self-contained. Subscriptions are not supported. */
async function serveAlone(create: () => McpServer, web: Request, body: unknown): Promise<Response> {
  const handler = createMcpHandler(create, {
    legacy: 'reject',
    maxSubscriptions: 0,
    onerror: (error) => logger.debug(error.message),
  });
  return handler.fetch(web, { parsedBody: body });
}

const protocolError = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
