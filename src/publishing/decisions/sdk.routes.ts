import type { FastifyInstance } from 'fastify';
import { ApiError, found } from '../../common/errors/api-errors';
import { answerPreflight, CLIENT_HEADERS } from '../../common/http/cors';
import { jsonOf } from '../../common/http/delivery-body';
import { addRoute } from '../../common/http/raw-routes';
import { readBoth } from '../../common/validation/failures';
import { isStrict, receiptAnswer } from '../../events/message-outcome';
import { requestedPayload } from '../payload-query';
import type { PublishedProjects } from '../published-projects';
import { senderOf } from './caller';
import { evaluatePayload, readEvaluationRequest } from './remote-evaluation';
import type { TrackingService } from './tracking.service';

const EVALUATION = '/api/eval/:clientKey';
const POST = { methods: 'POST', headers: CLIENT_HEADERS };

/** Adds the routes for GrowthBook SDKs: remote evaluation, and collection from the tracking plugin. */
export function addSdkRoutes(
  server: FastifyInstance,
  projects: PublishedProjects,
  tracking: TrackingService,
): void {
  answerPreflight(server, EVALUATION, { ...POST, keyIn: 'path' });
  addRoute<{ Params: { clientKey: string } }>(server, {
    method: 'POST',
    path: EVALUATION,
    access: 'client-key',
    keyIn: 'path',
    waits: true,
    handler: async (request) => {
      const published = found(await projects.find(request.params.clientKey));
      const [payload, asked] = readBoth(
        () => found(requestedPayload(request.query, published)),
        () => readEvaluationRequest(jsonOf(request, {})),
      );
      return evaluatePayload(published, payload, asked);
    },
  });
  answerPreflight(server, '/track', { ...POST, keyIn: 'headers' });
  addRoute<{ Querystring: Record<string, unknown> }>(server, {
    method: 'POST',
    path: '/track',
    access: 'client-key',
    keyIn: 'headers',
    handler: async (request) => {
      const sender = senderOf(request, request.headers['user-agent'] ?? '');
      const receipt = await tracking.collectFromSdk(sender, eventsIn(jsonOf(request)));
      return receiptAnswer(receipt, [], isStrict(request.query));
    },
  });
}

/** Returns the list of events. @throws ApiError (400) if the body contains none */
function eventsIn(body: unknown): unknown[] {
  if (typeof body !== 'object' || body === null) {
    throw new ApiError('BODY_MALFORMED', 'The body must be a list of events, or one event.');
  }
  return [body].flat();
}
