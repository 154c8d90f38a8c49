import type { FastifyInstance } from 'fastify';
import { answerPreflight, CLIENT_HEADERS } from '../../common/http/cors';
import { addRoute } from '../../common/http/raw-routes';
import { projectOf } from '../decisions/caller';
import type { PublishedProjects } from '../published-projects';
import type { VisitorCountries } from './visitor-countries';

const PATH = '/v1/visitor';
const KEY = { keyIn: 'headers' } as const;

/** Adds the route that tells a browser what only the server knows about the visitor. */
export function addVisitorRoutes(
  server: FastifyInstance,
  projects: PublishedProjects,
  countries: Pick<VisitorCountries, 'of'>,
): void {
  answerPreflight(server, PATH, { methods: 'GET', headers: CLIENT_HEADERS, ...KEY });
  addRoute(server, {
    method: 'GET',
    path: PATH,
    access: 'client-key',
    ...KEY,
    handler: async (request, reply) => {
      await projectOf(request, projects);
      reply.header('cache-control', 'private, no-store');
      return { country: countries.of(request) };
    },
  });
}
