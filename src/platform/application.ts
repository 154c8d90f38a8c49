import { type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { setPrefix } from './access/api-prefix';
import { serverOptions } from '../common/http/server-options';
import { RouteTable } from '../common/http/route-table';
import { PinoLogger } from '../common/logging/pino-logger';
import type { Config } from '../config/config';
import { createTools } from '../mcp/server';
import { toolSource } from '../mcp/source';
import { unreadableFlag } from '../publishing/decisions/flag.routes';
import { REFERENCE_PATH, setUpReference } from './reference/reference';
import { RESOURCES } from '../resources/registry';
import { Pipeline } from './pipeline';
import { unhookedLog } from './request-log';

/**
 * The whole HTTP application, ready for `listen` or `inject`.
 * @param root imports `PlatformModule` and the modules whose routes are served
 * @throws Error if a route does not declare its access
 */
export async function createApplication(
  root: DynamicModule,
  config: Config,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    root,
    new FastifyAdapter(serverOptions(config, { log: unhookedLog(logger), unreadableUrl: unreadableFlag })),
    { logger: new PinoLogger(logger), bodyParser: false, abortOnError: false },
  );
  setPrefix(app);
  const server = app.getHttpAdapter().getInstance();
  await app.get(Pipeline).addTo(server, logger, () => createTools(toolSource(app, config, RESOURCES)));
  app.get(RouteTable).openLibrary(REFERENCE_PATH);
  setUpReference(app, config);
  await app.init();
  await server.ready();
  return app;
}
