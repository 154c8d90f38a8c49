import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { UnavailableError } from '../common/errors/api-errors';
import { refusing } from '../common/errors/error.filter';
import { limitConnections } from '../common/http/connections';
import { addRoute } from '../common/http/raw-routes';
import { RouteTable } from '../common/http/route-table';
import { addSecurityHeaders, removeClientPorts } from '../common/http/headers';
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
import { DeliveryRoutes } from './delivery-routes';
import { addBodySteps, addDeliverySteps } from './pipeline';

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
   * @throws ConfigError if the country database cannot be used; errors from `listen`
   */
  static async start(config: Config, reason: unknown): Promise<StandIn | null> {
    const cache = new RevisionCache(config);
    if (await cache.isEmpty()) {
      return null;
    }
    // The country database is a file, so it is available during the outage.
    const countries = new VisitorCountries(config);
    await countries.onModuleInit();
    const server = new FastifyAdapter(serverOptions(config)).getInstance();
    const routes = new RouteTable();
    routes.watch(server);
    routes.requireDecisions(server);
    removeClientPorts(server);
    addSecurityHeaders(server, config.publicUrl);
    addBodySteps(server);
    server.setErrorHandler(refusing('Delivery'));
    server.setNotFoundHandler(unavailable);
    const show = (path: string, answer: object): void =>
      addRoute(server, { method: 'GET', path, access: 'public', handler: () => answer });
    show('/health/live', { status: 'ok' });
    show('/health/delivery', health({ status: 'up', from: 'copies', reason: textOf(reason) }));
    await server.register(async (open: FastifyInstance) => {
      // No events are stored, so origins are not checked.
      addDeliverySteps(open, config, null, null);
      deliveryFrom(config, cache, countries, reason).addTo(open);
    });
    limitConnections(server.server, config.maxConnections);
    await server.listen({ host: config.host, port: config.port });
    return new StandIn(server);
  }

  /** Releases the port. Current requests have a second to finish, because nothing is served until then. */
  async close(): Promise<void> {
    setTimeout(() => this.server.server.closeAllConnections(), CLOSING_MS).unref();
    await this.server.close();
  }
}

function deliveryFrom(
  config: Config,
  cache: RevisionCache,
  countries: VisitorCountries,
  reason: unknown,
): DeliveryRoutes {
  const availability = new Availability();
  availability.failed(reason);
  const registry = new Registry();
  const counters = new DeliveryCounters(registry);
  const collection = { collect: unavailable };
  const recorder = new ExposureRecorder(collection, availability, counters);
  const nowhere = { pointers: unavailable, names: unavailable, load: unavailable };
  const projects = new PublishedProjects(nowhere, cache, availability, counters, new ProjectChanges());
  const streams = new PayloadStreams(projects, config, registry);
  // SDKs open their streams again once the server has started.
  streams.close('The server is starting.');
  return new DeliveryRoutes(
    collection,
    projects,
    { find: unavailable },
    new DecisionsService(recorder),
    new FlagsService(recorder),
    new TrackingService(collection),
    streams,
    countries,
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
