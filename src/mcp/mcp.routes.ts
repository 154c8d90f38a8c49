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
import type { ActorRequest } from '../access/actor';
import { countAnonymous } from '../auth/rate-limit/rate-limit.guard';
import type { WindowThrottlerStorage } from '../auth/rate-limit/window-throttler-storage';
import { givenToken } from '../auth/token.guard';
import { ApiError, UnauthenticatedError } from '../common/errors/api-errors';
import { refusing } from '../common/errors/refusing';
import { UnreadableBody } from '../common/http/json-body';
import { isTooDeep, MAX_DEPTH } from '../common/validation/submission';
import type { TokenVerifier } from '../tokens/token-verifier';
import { injectPort } from './inject-port';
import { createMcpServer } from './server';

const logger = new Logger('MCP');

export interface McpOptions {
  verifier: TokenVerifier;
  hits: WindowThrottlerStorage;
  publicUrl: string;
}

/**
 * Adds the tools over Streamable HTTP. Nothing is remembered between requests, so that any process may answer any of
 * them. The requests themselves are not counted against a user's limit, but the calls of the API that tools make are.
 */
export function addMcpRoute(server: FastifyInstance, options: McpOptions): void {
  server.setErrorHandler(refusing('MCP'));
  server.addHook('onRequest', async (request: ActorRequest, reply) => {
    refuseOtherSites(request, new URL(options.publicUrl).origin);
    await authenticate(request, reply, options);
  });
  server.post('/mcp', async (request, reply) => {
    const answer = await serve(server, request);
    return reply
      .code(answer.status)
      .headers(Object.fromEntries(answer.headers))
      .send(await answer.text());
  });
}

/** Browsers say which site a request comes from, also when that site has made its name lead to this server. */
function refuseOtherSites({ headers: { origin } }: FastifyRequest, own: string): void {
  if (origin !== undefined && origin !== own) {
    throw new ApiError(403, 'Pages of other sites may not use this address.');
  }
}

/** Guesses at tokens are counted together with those at the API. */
async function authenticate(
  request: ActorRequest,
  reply: FastifyReply,
  { verifier, hits }: McpOptions,
): Promise<void> {
  const token = givenToken(request);
  request.actor = token === undefined ? undefined : ((await verifier.verify(token)) ?? undefined);
  if (request.actor === undefined) {
    await countAnonymous(hits, request.ip, reply);
    throw new UnauthenticatedError();
  }
}

async function serve(server: FastifyInstance, request: FastifyRequest): Promise<Response> {
  const { body } = request;
  if (body instanceof UnreadableBody) {
    return protocolError(body.refusal.status, PARSE_ERROR, body.refusal.message);
  }
  if (typeof body !== 'object' || body === null) {
    return protocolError(400, INVALID_REQUEST, 'The body must be one message of JSON-RPC.');
  }
  if (Array.isArray(body)) {
    return protocolError(400, INVALID_REQUEST, 'Send one message with each request, not several at once.');
  }
  if (isTooDeep(body)) {
    return protocolError(400, INVALID_REQUEST, `The message is nested deeper than ${MAX_DEPTH} levels.`);
  }
  // Fails over what is no address, such as a Host header with a blank.
  const web = await toWebRequest(request.raw, body).catch(() => null);
  if (web === null) {
    return protocolError(400, INVALID_REQUEST, 'The Host header must be the address of this server.');
  }
  const create = () => serverFor(server, request);
  return (await isLegacyRequest(web, body))
    ? serveWithHandshake(create(), web, body)
    : serveAlone(create, web, body);
}

/** The tools of the caller. */
function serverFor(server: FastifyInstance, { headers, ip, id }: FastifyRequest): McpServer {
  const caller = { authorization: headers.authorization ?? '', address: ip, requestId: id };
  const report = (error: unknown): void => logger.error({ err: error, requestId: id }, 'A tool failed');
  return createMcpServer({ call: injectPort(server, caller), report });
}

/** Revisions of the protocol until 2025, which begin with `initialize`. */
async function serveWithHandshake(own: McpServer, web: Request, body: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await own.connect(transport);
  try {
    return await transport.handleRequest(web, { parsedBody: body });
  } finally {
    await own.close();
  }
}

/** Later revisions, whose messages each say all that matters. There is nothing to subscribe to. */
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
