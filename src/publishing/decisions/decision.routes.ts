import type { FastifyInstance } from 'fastify';
import { answerPreflight, CLIENT_HEADERS } from '../../common/http/cors';
import { bodyOf, jsonOf } from '../../common/http/delivery-body';
import { addRoute } from '../../common/http/raw-routes';
import { readBoth } from '../../common/validation/failures';
import { collectTrackMessage } from '../../events/collection.routes';
import type { CollectionService } from '../../events/collection.service';
import { sendingOf } from '../../events/recent/sending';
import { isSegmentMessage } from '../../events/segment-messages';
import { environmentOf } from '../payload-query';
import type { PublishedProjects } from '../published-projects';
import { projectOf, senderOf } from './caller';
import { readConversions } from './conversion-request';
import { readDecisionRequest } from './decision-request';
import type { DecisionsService } from './decisions.service';
import type { TrackingService } from './tracking.service';

const KEY = { keyIn: 'headers' } as const;
const POST = { methods: 'POST', headers: CLIENT_HEADERS, ...KEY };

/** Adds the decision and conversion routes for back ends. */
export function addDecisionRoutes(
  server: FastifyInstance,
  projects: PublishedProjects,
  decisions: DecisionsService,
  tracking: TrackingService,
  collection: Pick<CollectionService, 'collect'>,
): void {
  answerPreflight(server, '/v1/decide', POST);
  addRoute(server, {
    method: 'POST',
    path: '/v1/decide',
    access: 'client-key',
    ...KEY,
    waits: true,
    handler: async (request) => {
      const published = await projectOf(request, projects);
      const [environment, asked] = readBoth(
        () => environmentOf(request.query, published),
        () => readDecisionRequest(jsonOf(request, {})),
      );
      return decisions.decide(published, environment, asked, request.keyedProject, sendingOf(request));
    },
  });
  answerPreflight(server, '/v1/track', { ...POST, keyIn: 'body' });
  addRoute<{ Querystring: Record<string, unknown> }>(server, {
    method: 'POST',
    path: '/v1/track',
    access: 'client-key',
    keyIn: 'body',
    handler: async (request, reply) => {
      if (isSegmentMessage(bodyOf(request).value)) {
        return collectTrackMessage(request, collection);
      }
      await projectOf(request, projects);
      await tracking.convert(senderOf(request, ''), readConversions(jsonOf(request)));
      return reply.code(204).send();
    },
  });
}
