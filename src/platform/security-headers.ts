import type { FastifyInstance } from 'fastify';
import { securityHeaders } from '../common/http/server-options';

/** Sets the security headers of every answer, and its request id. */
export function addSecurityHeaders(server: FastifyInstance, publicUrl: string): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders(publicUrl, request.url)).header('x-request-id', request.id);
    done();
  });
}
