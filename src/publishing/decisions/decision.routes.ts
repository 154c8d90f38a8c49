import type { FastifyInstance } from 'fastify';
import { allowAsking, CLIENT_HEADERS } from '../../common/http/open-routes';
import { environmentOf } from '../environment-query';
import type { PublishedProjects } from '../published-projects';
import { jsonOf, projectOf, senderOf } from './caller';
import { readConversions } from './conversion-request';
import { readDecisionRequest } from './decision-request';
import type { DecisionsService } from './decisions.service';
import type { TrackingService } from './tracking.service';

const POST = { methods: 'POST', headers: CLIENT_HEADERS };

/** Adds what back ends call: decisions about their visitors, and conversions of them. */
export function addDecisionRoutes(
  server: FastifyInstance,
  projects: PublishedProjects,
  decisions: DecisionsService,
  tracking: TrackingService,
): void {
  allowAsking(server, '/v1/decide', POST);
  server.post('/v1/decide', async (request) => {
    const published = await projectOf(request, projects);
    const asked = readDecisionRequest(jsonOf(request, {}));
    return decisions.decide(published, environmentOf(request.query, published), asked);
  });
  allowAsking(server, '/v1/track', POST);
  server.post('/v1/track', async (request, reply) => {
    const { clientKey } = await projectOf(request, projects);
    await tracking.convert(senderOf(request, clientKey, ''), readConversions(jsonOf(request)));
    return reply.code(204).send();
  });
}
