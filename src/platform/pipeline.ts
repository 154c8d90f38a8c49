import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { RouteAudit } from './access/route-audit';
import { addSessionPlugins } from '../account/session-plugins';
import { SessionStore } from '../account/session-store';
import { DeliveryLimit } from './rate-limit/delivery-limit';
import { WindowThrottlerStorage } from './rate-limit/rate-window';
import { UnroutedLimit } from './rate-limit/rate-limit.guard';
import { refusing } from '../common/errors/error.filter';
import { allowAllOrigins, allowUnrouted } from '../common/http/cors';
import { acceptDeliveryBodies, bodyRefusal } from '../common/http/delivery-body';
import { acceptJson } from '../common/http/json-body';
import { checksAccess } from '../common/http/raw-routes';
import {
  acceptMediaTypes,
  addSecurityHeaders,
  refuseResolvedDeletions,
  removeClientPorts,
  requireOneHost,
} from '../common/http/headers';
import { RouteTable } from '../common/http/route-table';
import { sendTogether } from '../common/http/turn-end';
import { Config } from '../config/config';
import { OriginCheck } from '../events/client-keys';
import { RefusedRequests } from '../events/recent/refused-requests';
import { addMcpRoute } from '../mcp/mcp.routes';
import type { Tool } from '../mcp/tool';
import { HttpMetrics } from './metrics/http-metrics';
import { traceRequests } from './metrics/tracing/request-spans';
import { AnswerKeeper } from './idempotency/answer-keeper';
import type { IdempotentRequest } from './idempotency/request-options';
import { TokenVerifier } from '../users/tokens/token-verifier';
import { chooseCoding, compressBodies } from './compression';
import { DeliveryRoutes } from './delivery-routes';
import { GracefulShutdown } from './graceful-shutdown';
import { neverShed, shedLoad } from './load-shedding';
import { answerNotModified } from './not-modified';
import { logRequests } from './request-log';

/*
 * The steps of every request, in the order of the diagram in docs/architecture.md. The request id and connection time
 * limits come first, in `serverOptions`. The steps of controllers are in `controller-steps.ts`.
 */

export const hasIdempotencyKey = ({ headers }: FastifyRequest): boolean => 'idempotency-key' in headers;
const mayKnowResponse = ({ headers }: FastifyRequest): boolean => 'if-none-match' in headers;

/** Adds a step that runs before certain responses are sent, and returns the body to send. */
function onSend(
  server: FastifyInstance,
  applies: (request: FastifyRequest) => boolean,
  step: (request: FastifyRequest, reply: FastifyReply, body: unknown) => Promise<unknown>,
): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (applies(request)) {
      step(request, reply, payload).then((body) => done(null, body), done);
    } else {
      done(null, payload);
    }
  });
}

/** Adds the steps that compress bodies, or leave them out for clients that have them. */
export function addBodySteps(server: FastifyInstance): void {
  chooseCoding(server);
  onSend(server, mayKnowResponse, answerNotModified);
  compressBodies(server);
}

/** Adds the steps for delivery and collection to a scope. For cached data, the steps are synchronous. */
export function addDeliverySteps(
  server: FastifyInstance,
  { deliveryLimitPerMinute }: Pick<Config, 'deliveryLimitPerMinute'>,
  origins: Pick<OriginCheck, 'watch'> | null,
  refused: Pick<RefusedRequests, 'watch'> | null,
): void {
  checksAccess(server, 'client-key');
  const refuse = refusing('Delivery');
  server.setErrorHandler((error, request, reply) => refuse(bodyRefusal(error, reply), request, reply));
  acceptDeliveryBodies(server);
  allowAllOrigins(server);
  // `addRoute` reads the client key after body parsing, because the key may be in the body.
  server.decorateRequest('clientKey', null);
  server.decorateRequest('keyedProject', undefined);
  server.decorateRequest('sending', null);
  new DeliveryLimit(deliveryLimitPerMinute).watch(server);
  origins?.watch(server);
  refused?.watch(server);
}

/** Adds the steps outside controllers, and the routes that are not served by controllers. */
@Injectable()
export class Pipeline {
  constructor(
    private readonly config: Config,
    private readonly routes: RouteTable,
    private readonly audit: RouteAudit,
    private readonly shutdown: GracefulShutdown,
    private readonly unrouted: UnroutedLimit,
    private readonly answers: AnswerKeeper,
    private readonly sessions: SessionStore,
    private readonly origins: OriginCheck,
    private readonly refused: RefusedRequests,
    private readonly delivery: DeliveryRoutes,
    private readonly verifier: TokenVerifier,
    private readonly hits: WindowThrottlerStorage,
    private readonly metrics: HttpMetrics,
  ) {}

  /**
   * Must be called before any route is added.
   * @param makeTools creates the MCP tools; called on first use
   */
  async addTo(server: FastifyInstance, logger: Logger, makeTools: () => readonly Tool[]): Promise<void> {
    const { publicUrl, maxEventLoopDelayMs } = this.config;
    this.routes.watch(server);
    this.routes.requireDecisions(server, (route) => this.audit.isDeclared(route));

    // All requests. The hooks of a phase run in this order.
    removeClientPorts(server);
    this.metrics.watch(server);
    traceRequests(server, this.config, logger);
    acceptJson(server);
    acceptMediaTypes(server);
    addSecurityHeaders(server, publicUrl);
    allowUnrouted(server);
    requireOneHost(server);
    refuseResolvedDeletions(server);
    this.addShutdown(server);
    this.countUnrouted(server);
    onSend(server, hasIdempotencyKey, (request, reply, body) =>
      this.answers.keep(request as IdempotentRequest, reply, body),
    );
    addBodySteps(server);
    sendTogether(server);
    logRequests(server, logger);

    await server.register(async (open: FastifyInstance) => {
      neverShed(open);
      addDeliverySteps(open, this.config, this.origins, this.refused);
      this.delivery.addTo(open);
    });
    await server.register(async (mcp: FastifyInstance) => {
      let made: readonly Tool[] | undefined;
      const tools = (): readonly Tool[] => (made ??= makeTools());
      addMcpRoute(mcp, { verifier: this.verifier, hits: this.hits, publicUrl, tools });
    });
    shedLoad(server, maxEventLoopDelayMs);
    await addSessionPlugins(server, this.sessions);
  }

  private countUnrouted(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      if (request.is404) {
        this.unrouted.count(request, reply).then(() => done(), done);
      } else {
        done();
      }
    });
  }

  private addShutdown(server: FastifyInstance): void {
    const { shutdown } = this;
    shutdown.watch(server);
    server.addHook('onRequest', (request, reply, done) => {
      if (!shutdown.isStopping || !shutdown.failReadiness(request, reply)) {
        done();
      }
    });
    server.addHook('onSend', (_request, reply, payload, done) => {
      if (shutdown.isStopping) {
        reply.header('connection', 'close');
      }
      done(null, payload);
    });
  }
}
