import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { errorMessage } from '../../common/logging/logged-error';
import { Database } from '../../database/database';
import { KeyedRequest, keyedRequest, isKept, KeptAnswer } from './key-claim';
import { IdempotencyKeys } from './idempotency-keys';
import { isKey, keyOf, IdempotentRequest } from './request-options';

/**
 * Maximum size of a stored response to a request that cannot have written anything, in bytes. Otherwise, even read-only
 * tokens could fill the database with large records and long error lists.
 */
const MAX_WITHOUT_WRITE = 16 * 1024;

const KEPT_HEADERS = ['content-type', 'etag', 'location'];

/**
 * Stores the responses to requests that have an `Idempotency-Key` but wrote nothing, and whose response was therefore
 * not stored in a transaction. This step runs just before a response is sent, so it also sees errors thrown by guards.
 */
@Injectable()
export class AnswerKeeper {
  private readonly logger = new Logger(AnswerKeeper.name);

  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly database: Database,
  ) {}

  /** Sends the response even if it cannot be stored. @returns the payload */
  async keep(request: IdempotentRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    try {
      await this.store(request, reply, payload);
    } catch (error) {
      this.logger.warn(`The response to request ${request.id} could not be stored: ${errorMessage(error)}`);
    }
    return payload;
  }

  private async store(request: IdempotentRequest, reply: FastifyReply, payload: unknown): Promise<void> {
    const key = claimableKey(request, reply);
    if (request.claimId !== undefined) {
      await this.finish(request.claimId, answerOf(reply, payload), isWriteRequest(request));
    } else if (key !== undefined && request.actor !== undefined) {
      const keyed = keyedRequest(request.actor.userId, key, request.url, request.body);
      await this.keepMissing(keyed, reply, answerOf(reply, payload));
    }
  }

  /** @param isWrite whether the request's route can write */
  private async finish(claimId: number, answer: KeptAnswer, isWrite: boolean): Promise<void> {
    const mayHaveWritten = isWrite && answer.status < 400;
    if (isKept(answer.status) && (mayHaveWritten || answer.body.length <= MAX_WITHOUT_WRITE)) {
      await this.database.transaction((tx) => this.keys.keep(tx, claimId, answer));
    } else {
      await this.keys.release(claimId);
    }
  }

  /**
   * Handles a 404 for a record in the path, which occurs before the key is claimed. Claims the key and stores the 404
   * as the first response.
   */
  private async keepMissing(keyed: KeyedRequest, reply: FastifyReply, answer: KeptAnswer): Promise<void> {
    const claim = await this.keys.claim(keyed);
    if (claim.found === 'claimed') {
      await this.finish(claim.claimId, answer, false);
    } else if (claim.found === 'answered' && claim.answer.status === answer.status) {
      reply.header('idempotency-replayed', 'true');
    }
  }
}

/** Whether the route can write. Only such routes have the mark. */
const isWriteRequest = ({ dryRun }: IdempotentRequest): boolean => dryRun !== undefined;

/** The key of a request that got a 404 for a record in its path. */
function claimableKey(request: IdempotentRequest, { statusCode }: FastifyReply): string | undefined {
  const key = statusCode === 404 && request.scope === undefined ? keyOf(request) : undefined;
  return key !== undefined && isKey(key) ? key : undefined;
}

function answerOf(reply: FastifyReply, payload: unknown): KeptAnswer {
  const headers = KEPT_HEADERS.flatMap((name) =>
    reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [],
  );
  return {
    status: reply.statusCode,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.isBuffer(payload) ? payload : Buffer.from(typeof payload === 'string' ? payload : ''),
  };
}
