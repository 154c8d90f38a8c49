import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, NotFoundError } from '../../common/errors/api-errors';
import { allowAsking, CLIENT_HEADERS, clientKeyOf } from '../../common/http/open-routes';
import { isStrict, receiptAnswer } from '../../events/receipt';
import { environmentOf } from '../environment-query';
import type { PublishedProjects } from '../published-projects';
import { jsonOf, senderOf } from './caller';
import { evaluatePayload, readEvaluationRequest } from './remote-evaluation';
import type { TrackingService } from './tracking.service';

const EVALUATION = '/api/eval/:clientKey';
const POST = { methods: 'POST', headers: CLIENT_HEADERS };

type Query = Record<string, unknown>;

/** Adds what SDKs of the GrowthBook family call: remote evaluation, and the collection of their tracking plugin. */
export function addSdkRoutes(
  server: FastifyInstance,
  projects: PublishedProjects,
  tracking: TrackingService,
): void {
  allowAsking(server, EVALUATION, POST);
  server.post(EVALUATION, async (request: FastifyRequest<{ Params: { clientKey: string } }>) => {
    const published = await projects.find(request.params.clientKey);
    const payload = published?.payloads.get(environmentOf(request.query, published));
    if (payload === undefined) {
      throw new NotFoundError();
    }
    return evaluatePayload(payload, readEvaluationRequest(jsonOf(request, {})));
  });
  allowAsking(server, '/track', POST);
  server.post('/track', async (request: FastifyRequest<{ Querystring: Query }>) => {
    const clientKey = clientKeyOf(request);
    const events = eventsIn(jsonOf(request));
    const sender = senderOf(request, clientKey, request.headers['user-agent'] ?? '');
    const receipt = await tracking.collectFromSdk(sender, events);
    return receiptAnswer(receipt, [], isStrict(request.query));
  });
}

/** @throws ApiError (400) when there are none */
function eventsIn(body: unknown): unknown[] {
  if (typeof body !== 'object' || body === null) {
    throw new ApiError(400, 'The body must be a list of events, or one event.');
  }
  return [body].flat();
}
