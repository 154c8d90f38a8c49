import type { FastifyInstance, preHandlerHookHandler } from 'fastify';

/*
 * Requests that arrive in one iteration of the event loop run some steps together, step by step instead of request by
 * request, so that the code of a step stays in the processor's caches. Decisions then take half the CPU time, and
 * scripts two thirds (`npm run bench protections`). A single request is not delayed.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** The iteration of the event loop in which the request arrived, or in which its wait for the others ended. */
    turn: number;
  }
}

let turn = 0;
let isCounted = false;

function currentTurn(): number {
  if (!isCounted) {
    isCounted = true;
    setImmediate(() => {
      turn += 1;
      isCounted = false;
    });
  }
  return turn;
}

/** A step that waits until all requests of a turn have been read. */
export const untilTurnEnds: preHandlerHookHandler = (request, _reply, done) => {
  setImmediate(() => {
    request.turn = currentTurn();
    done();
  });
};

/** Sends the responses that are ready in the turn of their requests at its end. Responses that took longer do not wait. */
export function sendTogether(server: FastifyInstance): void {
  server.decorateRequest('turn', 0);
  server.addHook('onRequest', (request, _reply, done) => {
    request.turn = currentTurn();
    done();
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    if (request.turn === turn && isWhole(payload)) {
      setImmediate(() => {
        try {
          done(null, payload);
        } catch (error) {
          // Such as a header that HTTP does not allow. Nothing else catches it: the handler has returned.
          done(error as Error);
        }
      });
    } else {
      done(null, payload);
    }
  });
}

/** Streams do not wait: their errors would have no listener. */
const isWhole = (payload: unknown): boolean => typeof payload === 'string' || Buffer.isBuffer(payload);
