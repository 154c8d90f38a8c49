import type { FastifyRequest } from 'fastify';
import { ApiError, UnauthenticatedError } from '../../common/errors/api-errors';
import { bodyOf, clientKeyOf } from '../../common/http/open-routes';
import type { Published } from '../published';
import type { PublishedProjects } from '../published-projects';
import type { Sender } from './tracking.service';

/**
 * What is live in the project whose client key a request carries.
 * @throws UnauthenticatedError when the key is missing or nobody's
 */
export async function projectOf(request: FastifyRequest, projects: PublishedProjects): Promise<Published> {
  const published = await projects.find(clientKeyOf(request));
  if (published === null) {
    throw new UnauthenticatedError();
  }
  return published;
}

/**
 * The body of a request as JSON; one without a body has the given one.
 * @throws ApiError (400) when it is no JSON
 */
export function jsonOf(request: FastifyRequest, byDefault?: object): unknown {
  const { bytes, value } = bodyOf(request);
  const body = bytes === 0 ? byDefault : value;
  if (body === undefined) {
    throw new ApiError(400, 'The body is not valid JSON.');
  }
  return body;
}

/** Where a delivery comes from. @param userAgent of the visitor, as far as it is known */
export const senderOf = (request: FastifyRequest, clientKey: string, userAgent: string): Sender => ({
  clientKey,
  userAgent,
  bytes: bodyOf(request).bytes,
});
