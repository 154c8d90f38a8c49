import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failureLog } from './failure-log';
import { refusalOf } from './refusal';

/** Sends errors of routes without a controller in the common format. @param area the name of the module in the log */
export function refusing(area: string) {
  const logger = new Logger(area);
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = refusalOf(error);
    if (refusal !== error && refusal.status >= 500) {
      failureLog.report(logger, error, { requestId: request.id }, `${area} failed`);
    }
    void reply
      .code(refusal.status)
      .headers({ ...refusal.headers })
      .send(refusal.body);
  };
}
