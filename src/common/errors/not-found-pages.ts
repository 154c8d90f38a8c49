import type { FastifyReply, FastifyRequest } from 'fastify';

/** The 404 page and other error pages outside of a page's own filter. The module with the pages provides it. */
export abstract class NotFoundPages {
  /** Sends a 404 page if the client accepts HTML. @returns whether it did */
  abstract answer(request: FastifyRequest, reply: FastifyReply, status: number): boolean;
}
