import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusalOf } from './refusal';

/**
 * Answers whatever goes wrong on routes that are no controller's, in the shape that all errors have.
 * @param area names the part of the server in the log
 */
export function refusing(area: string) {
  const logger = new Logger(area);
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = refusalOf(error);
    if (refusal !== error && refusal.status >= 500) {
      logger.error({ err: error, requestId: request.id }, `${area} failed`);
    }
    void reply
      .code(refusal.status)
      .headers({ ...refusal.headers })
      .send({ message: refusal.message, ...refusal.extra });
  };
}
