import type { FastifyRequest } from 'fastify';

/** The route of requests without one. Paths that clients choose must not become labels. */
const UNMATCHED = 'unmatched';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method of a request, if the server knows it. */
export const methodOf = ({ method }: FastifyRequest): string => (METHODS.has(method) ? method : 'other');

/** The pattern of a request's route, such as `/api/projects/:project`. */
export const routeOf = ({ is404, routeOptions }: FastifyRequest): string =>
  is404 ? UNMATCHED : (routeOptions.url ?? UNMATCHED);
