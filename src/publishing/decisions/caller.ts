import type { FastifyRequest } from 'fastify';
import { UnauthenticatedError } from '../../common/errors/api-errors';
import { clientKeyOf } from '../../common/http/client-key';
import { bodyOf } from '../../common/http/delivery-body';
import { sendingOf } from '../../events/recent/sending';
import type { Published } from '../published';
import type { PublishedProjects } from '../published-projects';
import type { Sender } from './tracking.service';

/**
 * The live content of the project that the request's client key belongs to.
 * @throws UnauthenticatedError if the key is missing or unknown
 */
export async function projectOf(request: FastifyRequest, projects: PublishedProjects): Promise<Published> {
  const clientKey = clientKeyOf(request);
  const published = projects.findKnown(clientKey) ?? (await projects.find(clientKey));
  if (published === null) {
    throw new UnauthenticatedError();
  }
  return published;
}

/** The sender of a delivery. @param userAgent the visitor's user agent, if known */
export const senderOf = (request: FastifyRequest, userAgent: string): Sender => ({
  clientKey: clientKeyOf(request),
  keyedProject: request.keyedProject,
  userAgent,
  bytes: bodyOf(request).bytes,
  sending: sendingOf(request),
});
