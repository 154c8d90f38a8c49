import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MemoryWindow } from '../../platform/rate-limit/rate-window';
import { refusalOf } from '../../common/errors/refusal';
import { unreadClientKey } from '../../common/http/client-key';
import { ClientKeys } from '../client-keys';
import { EventCounters } from '../event-metrics';
import { RecentMessages } from './recent-messages';
import { messagesIn, sendingOf } from './sending';

/** Reasons for refusing a whole request, by response status. */
const REASON_OF_STATUS: Partial<Record<number, RefusedReason>> = {
  400: 'invalid_body',
  403: 'origin',
  404: 'not_found',
  413: 'too_large',
  415: 'media_type',
  422: 'invalid_fields',
  429: 'rate_limit',
  503: 'unavailable',
};

/** Why a request was refused. */
export const REFUSED_REASONS = {
  invalid_body: 'The body is not JSON, does not have the required form, or did not arrive completely (400).',
  origin: 'This site may not use the client key: the origin is not in `allowed_origins` (403).',
  not_found: 'There is no such environment or flag (404).',
  too_large: 'The body has more than 512,000 bytes or more messages than the server accepts at once (413).',
  media_type: 'The content type is not JSON, or the content coding is unknown (415).',
  invalid_fields: 'A field is not valid; the response names it (422).',
  rate_limit: 'The rate limit or the `events_per_minute` of the project is exceeded (429).',
  unavailable:
    'The server was too busy or its database did not respond (503). Libraries send the request again.',
  failed: 'The server failed; the cause is in its log (500).',
} as const;

export type RefusedReason = keyof typeof REFUSED_REASONS;

/** The reason for refusing a request with this error. */
export const refusedReason = (error: unknown): RefusedReason =>
  REASON_OF_STATUS[refusalOf(error).status] ?? 'failed';

/** Maximum number of project lookups per minute. Refused requests may have made-up keys, and each lookup is a query. */
const LOOKUPS_PER_MINUTE = 600;

/** Lists refused requests to collection and decisions if their project is known. Counts bodies that are too large. */
@Injectable()
export class RefusedRequests {
  private readonly lookups = new MemoryWindow(1);

  constructor(
    private readonly keys: ClientKeys,
    private readonly recent: RecentMessages,
    private readonly counters: EventCounters,
  ) {}

  /**
   * Watches all routes in the scope of `server`. Messages that are rejected individually are listed where they are
   * resolved.
   */
  watch(server: FastifyInstance): void {
    server.addHook('onError', (request, _reply, error, done) => {
      if (request.method === 'POST') {
        const reason = refusedReason(error);
        // Collection counts what it refuses, but never sees a body that is too large to read.
        if (reason === 'too_large' && request.body === undefined) {
          this.counters.refuse(reason, 1);
        }
        if (request.sending?.isListed !== true) {
          this.note(request, reason);
        }
      }
      done();
    });
  }

  private note(request: FastifyRequest, reason: RefusedReason): void {
    const clientKey = request.clientKey ?? unreadClientKey(request);
    const project = request.keyedProject;
    if (clientKey === null || project === null) {
      return;
    }
    const sending = sendingOf(request);
    const list = (projectId: number): void =>
      this.recent.noteRefused(projectId, sending, reason, messagesIn(request));
    const known = project ?? this.keys.findLast(clientKey);
    if (known !== undefined) {
      list(known.projectId);
    } else if (this.lookups.hit('').hits <= LOOKUPS_PER_MINUTE) {
      void this.keys.findSoon(clientKey).then((found) => found && list(found.projectId));
    }
  }
}
