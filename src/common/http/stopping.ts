import { Injectable, OnModuleDestroy } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/** Knows that the server is stopping, which it does in the order: no new requests, finish running ones, close. */
@Injectable()
export class Stopping implements OnModuleDestroy {
  private isStopping = false;

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Refuses new requests on connections that are still open, and lets each connection end with its last answer. */
  watch(server: FastifyInstance): void {
    server.addHook('onRequest', (_request, reply, done) => {
      if (this.isStopping) {
        void reply
          .code(503)
          .headers({ connection: 'close', 'retry-after': '5' })
          .send({ message: 'Service Unavailable' });
        return;
      }
      done();
    });
    server.addHook('onSend', (_request, reply, payload, done) => {
      if (this.isStopping) {
        reply.header('connection', 'close');
      }
      done(null, payload);
    });
  }
}
