import { Injectable, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { AccessGuard } from '../access/access.guard';
import { RouteAudit } from '../access/route-audit';
import { SessionGuard } from '../account/session.guard';
import { addSessionPlugins } from '../account/session-plugins';
import { SessionStore } from '../account/session-store';
import { DeliveryLimit } from '../auth/rate-limit/delivery-limit';
import { RateLimitGuard } from '../auth/rate-limit/rate-limit.guard';
import { WindowThrottlerStorage } from '../auth/rate-limit/throttler-storage';
import { UnroutedLimit } from '../auth/rate-limit/unrouted-limit';
import { TokenGuard } from '../auth/token.guard';
import { ErrorFilter } from '../common/errors/error.filter';
import { refusing } from '../common/errors/refusing';
import { allowAllOrigins } from '../common/http/cors';
import { acceptDeliveryBodies } from '../common/http/delivery-body';
import { requireOneHost } from '../common/http/host-header';
import { acceptJson } from '../common/http/json-body';
import { checksAccess } from '../common/http/raw-routes';
import { RouteTable } from '../common/http/route-table';
import { Config } from '../config/config';
import { OriginCheck } from '../events/origin-check';
import { RefusedRequests } from '../events/recent/refused-requests';
import { ConditionalInterceptor } from '../conditional-requests/conditional.interceptor';
import { addMcpRoute } from '../mcp/mcp.routes';
import type { Tool } from '../mcp/tool';
import { HttpMetrics } from '../metrics/http-metrics';
import { traceRequests } from '../metrics/tracing/request-spans';
import { AnswerKeeper } from '../idempotency/answer-keeper';
import { DryRunGuard, DryRunInterceptor } from '../idempotency/dry-run';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor';
import { RequestOptionsInterceptor } from '../idempotency/request-options';
import { TokenVerifier } from '../tokens/token-verifier';
import { chooseCoding, compressBodies } from './compression';
import { DeliveryRoutes } from './delivery-routes';
import { GracefulShutdown } from './graceful-shutdown';
import { neverShed, shedLoad } from './load-shedding';
import { answerNotModified } from './not-modified';
import { ReadableBodyInterceptor } from './readable-body.interceptor';
import { logRequests } from './request-log';
import { addSecurityHeaders } from './security-headers';

/*
 * The steps of every request, in the order of the diagram in docs/architecture.md. The request id and the time limits
 * of connections come before, in `serverOptions`.
 */

/**
 * Steps of controllers before the handler, in the order of their errors: authentication, rate limit, authorization.
 * (Dry runs are only marked here, so that every error response of a dry run is marked too.)
 */
const GUARDS = [DryRunGuard, TokenGuard, RateLimitGuard, SessionGuard, AccessGuard];

/**
 * Steps around the handler: idempotency, conditional requests, body parsing. A stored response is returned after
 * authorization, and regardless of changes since then.
 */
const INTERCEPTORS = [
  IdempotencyInterceptor,
  ConditionalInterceptor,
  ReadableBodyInterceptor,
  RequestOptionsInterceptor,
  DryRunInterceptor,
];

const FILTERS = [ErrorFilter];

/** The steps of controllers: the management API and the pages. */
export const CONTROLLER_STEPS: Provider[] = [
  ...GUARDS.map((useClass) => ({ provide: APP_GUARD, useClass })),
  ...INTERCEPTORS.map((useClass) => ({ provide: APP_INTERCEPTOR, useClass })),
  ...FILTERS.map((useClass) => ({ provide: APP_FILTER, useClass })),
];

/** Adds the steps of delivery and collection to a scope. They are synchronous for cached data. */
export function addDeliverySteps(
  server: FastifyInstance,
  { deliveryLimitPerMinute }: Pick<Config, 'deliveryLimitPerMinute'>,
  origins: Pick<OriginCheck, 'watch'> | null,
  refused: Pick<RefusedRequests, 'watch'> | null,
): void {
  checksAccess(server, 'client-key');
  server.setErrorHandler(refusing('Delivery'));
  acceptDeliveryBodies(server);
  allowAllOrigins(server);
  // `addRoute` reads the client key after body parsing, because it may be in the body.
  server.decorateRequest('clientKey', null);
  server.decorateRequest('keyedProject', undefined);
  server.decorateRequest('sending', null);
  new DeliveryLimit(deliveryLimitPerMinute).watch(server);
  origins?.watch(server);
  refused?.watch(server);
}

/** Adds the steps outside of controllers, and the routes that are not served by controllers. */
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
    this.metrics.watch(server);
    traceRequests(server, this.config, logger);
    acceptJson(server);
    addSecurityHeaders(server, publicUrl);
    requireOneHost(server);
    this.shutdown.watch(server);
    this.unrouted.watch(server);
    this.answers.watch(server);
    chooseCoding(server);
    answerNotModified(server);
    compressBodies(server);
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
    await shedLoad(server, maxEventLoopDelayMs);
    await addSessionPlugins(server, this.sessions);
  }
}
