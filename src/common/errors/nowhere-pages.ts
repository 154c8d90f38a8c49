import type { FastifyReply, FastifyRequest } from 'fastify';

/** Tells people who mistyped an address so. Whoever has pages provides it; errors know of none. */
export abstract class NowherePages {
  /**
   * Answers a request that leads to nothing with a page, if that is what the client wants.
   * @returns whether it did
   */
  abstract answer(request: FastifyRequest, reply: FastifyReply, status: number): boolean;
}
