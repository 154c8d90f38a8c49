import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { ActorRequest } from './access/actor';
import { AppModule } from './app.module';
import { DeliveryLimit } from './auth/rate-limit/delivery-limit';
import { refundNotModified } from './auth/rate-limit/rate-limit.guard';
import { WindowThrottlerStorage } from './auth/rate-limit/window-throttler-storage';
import { matchesTag, parseTags } from './common/freshness/tags';
import { acceptJson } from './common/http/json-body';
import { MethodTable } from './common/http/method-table';
import { openToAllSites } from './common/http/open-routes';
import { securityHeaders, serverOptions } from './common/http/server-options';
import { Stopping } from './common/http/stopping';
import { loggedAddress } from './common/logging/logged-address';
import { PinoLogger } from './common/logging/pino-logger';
import type { Config } from './config/config';
import type { Database } from './database/database';
import { addCollectionRoutes } from './events/collection.routes';
import { CollectionService } from './events/collection.service';
import { addMcpRoute } from './mcp/mcp.routes';
import { addArtifactRoutes } from './publishing/artifact.routes';
import { addDecisionRoutes } from './publishing/decisions/decision.routes';
import { DecisionsService } from './publishing/decisions/decisions.service';
import { addFlagRoutes } from './publishing/decisions/flag.routes';
import { FlagsService } from './publishing/decisions/flags.service';
import { addSdkRoutes } from './publishing/decisions/sdk.routes';
import { TrackingService } from './publishing/decisions/tracking.service';
import { PreviewScripts } from './publishing/preview-scripts';
import { PublishedProjects } from './publishing/published-projects';
import { setUpReference } from './reference/reference';
import { AnswerKeeper } from './retries/answer-keeper';
import { TokenVerifier } from './tokens/token-verifier';

/** The pages for people. */
const PAGES = ['/', 'login', 'logout', 'settings/*page', 'assets/*file'];

/**
 * Those of projects have the paths of the API, from which their declared paths differ by the slash at the end. The
 * server itself takes addresses with and without it.
 */
const PROJECT_PAGES = ['projects/:project/', 'projects/:project/experiments/:experiment/'];

/** The whole HTTP application, ready to listen or to be injected with requests. */
export async function createApp(
  config: Config,
  database: Database,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(config, database),
    new FastifyAdapter(serverOptions(config)),
    { logger: new PinoLogger(logger), bodyParser: false, abortOnError: false },
  );
  setPrefix(app);
  const server = app.getHttpAdapter().getInstance();
  acceptJson(server);
  addHooks(server, app, logger);
  await server.register(async (open: FastifyInstance) => addDeliveryRoutes(open, app, config));
  await server.register(async (mcp: FastifyInstance) => {
    const verifier = app.get(TokenVerifier, { strict: false });
    const hits = app.get(WindowThrottlerStorage, { strict: false });
    addMcpRoute(mcp, { verifier, hits, publicUrl: config.publicUrl });
  });
  setUpReference(app, config);
  await app.init();
  await server.ready();
  return app;
}

/** Puts the API below `/api`, and everything else beside it. */
export function setPrefix(app: INestApplication): void {
  app.setGlobalPrefix('api', {
    exclude: [
      'health/live',
      'health/ready',
      'metrics',
      'share/:token',
      'share/:token/goals/:file',
      'demo',
      'demo/*page',
      ...PAGES,
      ...PROJECT_PAGES,
    ],
  });
}

/** What the sites and back ends of visitors call, with a client key. */
function addDeliveryRoutes(server: FastifyInstance, app: NestFastifyApplication, config: Config): void {
  const find = <T>(type: Type<T>): T => app.get(type, { strict: false });
  const [projects, tracking] = [find(PublishedProjects), find(TrackingService)];
  openToAllSites(server);
  new DeliveryLimit(config.deliveryLimitPerMinute).watch(server);
  addCollectionRoutes(server, find(CollectionService));
  addArtifactRoutes(server, projects, find(PreviewScripts));
  addDecisionRoutes(server, projects, find(DecisionsService), tracking);
  addFlagRoutes(server, projects, find(FlagsService));
  addSdkRoutes(server, projects, tracking);
}

function addHooks(server: FastifyInstance, app: NestFastifyApplication, logger: Logger): void {
  const methods = app.get(MethodTable);
  const hits = app.get(WindowThrottlerStorage, { strict: false });
  server.addHook('onRoute', ({ method, path }) => methods.add(method, path));
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...securityHeaders(request.url), 'x-request-id': request.id });
    done();
  });
  app.get(Stopping).watch(server);
  app.get(AnswerKeeper, { strict: false }).watch(server);
  server.addHook('onSend', async (request, reply, payload) => {
    const etag = reply.getHeader('etag');
    const known = request.headers['if-none-match'];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || reply.statusCode !== 200 || known === undefined || typeof etag !== 'string') {
      return payload;
    }
    if (!matchesTag(parseTags(known), etag)) {
      return payload;
    }
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    await refundNotModified(hits, request, reply);
    // Fastify itself takes the body off answers to HEAD, and needs it for their length.
    return request.method === 'HEAD' ? payload : null;
  });
  server.addHook('onResponse', (request: ActorRequest, reply, done) => {
    logger.info(
      {
        requestId: request.id,
        userId: request.actor?.userId ?? request.session?.userId,
        tokenId: request.actor?.tokenId,
        method: request.method,
        url: loggedAddress(request.url),
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
}
