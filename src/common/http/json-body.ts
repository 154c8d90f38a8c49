import type { FastifyInstance } from 'fastify';

/**
 * Bodies are JSON and nothing else (415). An empty body is none, also where a client sends the content type with
 * every request. Keys that would reach an object's prototype are refused by the parser (400).
 */
export function acceptJsonOnly(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') {
      done(null, undefined);
    } else {
      void parse(request, body.toString(), done);
    }
  });
}
