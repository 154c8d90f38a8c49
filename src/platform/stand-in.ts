import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { UnavailableError } from '../common/errors/api-errors';
import { refusing } from '../common/errors/error.filter';
import { addRoute } from '../common/http/raw-routes';
import { RouteTable } from '../common/http/route-table';
import { addSecurityHeaders } from '../common/http/headers';
import { serverOptions } from '../common/http/server-options';
import type { Config } from '../config/config';
import { ProjectChanges } from '../projects/project-versions.store';
import { Availability, DeliveryCounters } from '../publishing/availability';
import { DecisionsService } from '../publishing/decisions/decisions.service';
import { ExposureRecorder } from '../publishing/decisions/exposure-recorder';
import { FlagsService } from '../publishing/decisions/flags.service';
import { TrackingService } from '../publishing/decisions/tracking.service';
import { PublishedProjects } from '../publishing/published-projects';
import { RevisionCache } from '../publishing/revision-cache';
import { VisitorCountries } from '../publishing/country/visitor-countries';
import { PayloadStreams } from '../publishing/streams/payload-streams';
import { chooseCoding, compressBodies } from './compression';
import { DeliveryRoutes } from './delivery-routes';
import { addDeliverySteps } from './pipeline';

const CLOSING_MS = 1_000;

const unavailable = (): Promise<never> => Promise.reject(new UnavailableError());

/**
 * Serves delivery from the disk cache while the server waits for its database at startup. All other requests get 503.
 */
export class StandIn {
  private constructor(private readonly server: FastifyInstance) {}

  /**
   * Starts listening.
   * @param reason why the database cannot be opened
   * @returns null if there is nothing to deliver
   * @throws errors from `listen`
   */
  static async start(config: Config, reason: unknown): Promise<StandIn | null> {
    const cache = new RevisionCache(config);
    if (await cache.isEmpty()) {
      return null;
    }
    const server = new FastifyAdapter(serverOptions(config)).getInstance();
    const routes = new RouteTable();
    routes.watch(server);
    routes.requireDecisions(server);
    addSecurityHeaders(server, config.publicUrl);
    chooseCoding(server);
    compressBodies(server);
    server.setErrorHandler(refusing('Delivery'));
    server.setNotFoundHandler(unavailable);
    const show = (path: string, answer: object): void =>
      addRoute(server, { method: 'GET', path, access: 'public', handler: () => answer });
    show('/health/live', { status: 'ok' });
    show('/health/delivery', health({ status: 'up', from: 'copies', reason: textOf(reason) }));
    await server.register(async (open: FastifyInstance) => {
      // No events are stored, so origins are not checked.
      addDeliverySteps(open, config, null, null);
      deliveryFrom(config, cache, reason).addTo(open);
    });
    await server.listen({ host: config.host, port: config.port });
    return new StandIn(server);
  }

  /** Releases the port. Current requests have a second to finish, because nothing is served until then. */
  async close(): Promise<void> {
    setTimeout(() => this.server.server.closeAllConnections(), CLOSING_MS).unref();
    await this.server.close();
  }
}

function deliveryFrom(config: Config, cache: RevisionCache, reason: unknown): DeliveryRoutes {
  const availability = new Availability();
  availability.failed(reason);
  const registry = new Registry();
  const counters = new DeliveryCounters(registry);
  const collection = { collect: unavailable };
  const recorder = new ExposureRecorder(collection, availability, counters);
  const nowhere = { pointers: unavailable, names: unavailable, load: unavailable };
  const projects = new PublishedProjects(nowhere, cache, availability, counters, new ProjectChanges());
  return new DeliveryRoutes(
    collection,
    projects,
    { find: unavailable },
    new DecisionsService(recorder),
    new FlagsService(recorder),
    new TrackingService(collection),
    // SDKs reconnect their streams once the server has started.
    new PayloadStreams(projects, { ...config, maxStreams: 0 }, registry),
    // The server opens the country database only when it starts. Until then, countries come only from the header.
    new VisitorCountries(config),
    null,
  );
}

const health = (delivery: object): object => ({
  status: 'ok',
  info: { delivery },
  error: {},
  details: { delivery },
});

const textOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));
