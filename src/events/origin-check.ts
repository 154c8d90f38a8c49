import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/api-errors';
import { ClientKeys } from './client-keys';
import type { KeyedProject } from './client-keys.store';
import { EventCounters } from './event-metrics';
import { messagesIn } from './recent/sending';

/** Scripts are exempt, because they are public and give other origins no access. */
const SCRIPTS = '/s/';

/**
 * Finds the project of the client key, and rejects requests from origins that are not in its `allowed_origins`.
 * Browsers set the `Origin` header and pages cannot change it; back ends do not send the header, so their requests
 * pass.
 */
@Injectable()
export class OriginCheck {
  constructor(
    private readonly keys: ClientKeys,
    private readonly counters: EventCounters,
  ) {}

  /**
   * Checks all routes in the scope of `server` except scripts. CORS preflights are checked if the key is in the URL;
   * otherwise the actual request is checked.
   */
  watch(server: FastifyInstance): void {
    // Runs after body parsing, because some keys are in the body.
    server.addHook('preHandler', (request, _reply, done) => {
      const { clientKey } = request;
      if (clientKey === null || request.url.startsWith(SCRIPTS)) {
        done();
        return;
      }
      const check = (project: KeyedProject | null | undefined): void => {
        request.keyedProject = project;
        done(this.refusal(request));
      };
      const known = this.keys.findKnown(clientKey);
      if (known === undefined) {
        this.keys.findSoon(clientKey).then(check, done);
      } else {
        check(known);
      }
    });
    // Caches must not serve the response for one origin to another.
    server.addHook('onSend', (request, reply, payload, done) => {
      if (allowedOrigins(request) !== null) {
        const vary = reply.getHeader('vary');
        reply.header('vary', vary === undefined ? 'Origin' : `${String(vary)}, Origin`);
      }
      done(null, payload);
    });
  }

  /**
   * Requests with unknown keys pass, because the handler rejects them. If the lookup times out, the request also
   * passes, so decisions do not need the database; collection checks the origin after it has found the project.
   */
  private refusal(request: FastifyRequest): ApiError | undefined {
    const { keyedProject, headers } = request;
    if (!keyedProject || isOriginAllowed(keyedProject, headers.origin)) {
      return undefined;
    }
    this.counters.refuse('origin', messagesIn(request));
    return new ApiError('ORIGIN_NOT_ALLOWED');
  }
}

/** Whether the project allows requests from this origin. Back ends send no origin and are always allowed. */
export const isOriginAllowed = (
  { allowedOrigins: allowed }: KeyedProject,
  origin: string | null | undefined,
): boolean => allowed === null || origin === null || origin === undefined || allowed.includes(origin);

/** Null = all origins. */
const allowedOrigins = ({ keyedProject }: FastifyRequest): readonly string[] | null =>
  keyedProject?.allowedOrigins ?? null;
