import { normalizeIp } from '@nestjs/throttler';
import type { FastifyInstance } from 'fastify';
import { found } from '../../common/errors/api-errors';
import { answerPreflight, CLIENT_HEADERS } from '../../common/http/cors';
import { addRoute } from '../../common/http/raw-routes';
import type { PayloadStreams } from './payload-streams';

const STREAM = '/sub/:clientKey';

/** `X-Accel-Buffering` stops nginx from buffering events. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-sse-support': 'enabled',
  // The connection closes when the stream ends, so that the server can shut down.
  connection: 'close',
};

/** Adds the route that streams payloads to GrowthBook SDKs. */
export function addStreamRoutes(server: FastifyInstance, streams: PayloadStreams): void {
  answerPreflight(server, STREAM, {
    methods: 'GET',
    headers: `${CLIENT_HEADERS}, cache-control, last-event-id`,
    keyIn: 'path',
  });
  addRoute<{ Params: { clientKey: string }; Querystring: Record<string, unknown> }>(server, {
    method: 'GET',
    path: STREAM,
    access: 'client-key',
    keyIn: 'path',
    handler: async (request, reply) => {
      const { params, query, ip, headers } = request;
      const stream = found(
        await streams.open({
          clientKey: params.clientKey,
          address: normalizeIp(ip),
          query,
          lastTag: headers['last-event-id']?.toString(),
        }),
      );
      if (request.method === 'HEAD') {
        stream.destroy();
        return reply.headers(HEADERS).send();
      }
      return reply.headers(HEADERS).send(stream);
    },
  });
  server.addHook('preClose', (done) => {
    streams.close();
    done();
  });
}
