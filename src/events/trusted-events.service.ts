import { Injectable } from '@nestjs/common';
import { Untagged } from '../common/http/answers';
import { NotFoundError, TooLargeError } from '../common/errors/api-errors';
import { nowMicros, parseTimestamp } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { ProjectVersionsStore } from '../projects/project-versions.store';
import { MAX_BATCH_EVENTS } from './collection.service';
import { type Definitions, untilUnchanged } from './definitions';
import { DefinitionStore } from './definitions.store';
import { DeletionCheck } from './deletions/deleted-visitors.store';
import { EventLog } from './event-log';
import type { IgnoredLink } from './links/link-request';
import type { Batch } from './messages';
import { type Receipt, type Resolution, withIgnoredLinks } from './message-outcome';
import { resolveMessages } from './resolution';
import { VisitorLimit } from './event-limits';

export interface Collected extends Pick<Resolution, 'outcomes' | 'receipt'> {
  ignoredLinks: readonly IgnoredLink[];
  /** The response. */
  answer: object;
}

/**
 * Collects events from users with write access to the project. Each batch runs in its own transactions, which are
 * rolled back in a dry run. The transaction that acknowledges the events also stores the response for an idempotency
 * key, so a retry after a crash does not count messages twice, even without a `messageId`.
 */
@Injectable()
export class TrustedEventsService {
  constructor(
    private readonly database: Database,
    private readonly versions: ProjectVersionsStore,
    private readonly definitions: DefinitionStore,
    private readonly deletions: DeletionCheck,
    private readonly limit: VisitorLimit,
    private readonly log: EventLog,
  ) {}

  /**
   * Resolves when the accepted events are committed, with the outcome of each message.
   * @param userAgent user agent of the caller, for messages without a user agent
   * @param answerOf builds the response from a receipt
   * @throws NotFoundError if the project was deleted in the meantime
   * @throws TooLargeError if the batch has more events than the server accepts
   */
  async collect(
    projectId: number,
    { batch, sentAt }: Batch,
    userAgent: string,
    answerOf: (receipt: Receipt) => object,
  ): Promise<Collected> {
    if (batch.length > MAX_BATCH_EVENTS) {
      throw new TooLargeError(MAX_BATCH_EVENTS);
    }
    const times = { receivedAt: nowMicros(), sentAt: parseTimestamp(sentAt) };
    return untilUnchanged(async () => {
      const definitions = await this.definitionsOf(projectId);
      const arrival = { ...times, definitions, userAgent, source: 'trusted' as const };
      const resolved = resolveMessages(batch, arrival);
      const [resolution] = await this.deletions.apply([{ projectId, resolution: resolved }]);
      const [{ events, links, outcomes, receipt }] = await this.limit.apply([{ projectId, resolution }]);
      const answer = answerOf(receipt);
      const { changed, ignoredLinks } = await this.log.append([{ definitions, events, links }], {
        inTransaction: (work) => this.answering(projectId, answer, work),
      });
      changed.forEach((id) => this.definitions.forget(id));
      return { outcomes: withIgnoredLinks(outcomes, ignoredLinks), ignoredLinks, receipt, answer };
    });
  }

  /**
   * Runs work in a transaction. The result of the work is the response, so it can be stored under an idempotency key.
   * @returns the result of the work
   */
  private async answering<T>(projectId: number, answer: object, work: (tx: Tx) => Promise<T>): Promise<T> {
    const results: T[] = [];
    const answered = async (tx: Tx): Promise<Untagged<object>> => {
      results[0] = await work(tx);
      return new Untagged(answer, () => answer);
    };
    await this.database.transaction(answered, projectId, 'events');
    return results[0];
  }

  private async definitionsOf(projectId: number): Promise<Definitions> {
    const version = (await this.versions.ofLiveProjects(this.database.read, [projectId])).get(projectId);
    if (version === undefined) {
      throw new NotFoundError();
    }
    return this.definitions.find(projectId, version);
  }
}
