import { Injectable } from '@nestjs/common';
import { NotFoundError, TooLargeError } from '../common/errors/api-errors';
import { nowMicros } from '../common/time/clock';
import { Database } from '../database/database';
import { ProjectVersionsStore } from '../projects/project-versions.store';
import { MAX_BATCH_EVENTS } from './collection.service';
import { DefinitionStore, Definitions } from './definitions';
import { EventCounters } from './event-counters';
import { DefinitionsChangedError, EventWriter } from './event-writer';
import { parseTimestamp } from './event-times';
import type { Batch } from './messages';
import { type Resolution, resolveMessages } from './resolution';

export type Collected = Pick<Resolution, 'outcomes' | 'receipt'>;

const ATTEMPTS = 5;

/**
 * Collects events from users with write access to the project. Each batch has its own transaction, which is rolled back
 * in a dry run and which also stores the response for the idempotency key.
 */
@Injectable()
export class TrustedEventsService {
  constructor(
    private readonly database: Database,
    private readonly versions: ProjectVersionsStore,
    private readonly definitions: DefinitionStore,
    private readonly writer: EventWriter,
    private readonly counters: EventCounters,
  ) {}

  /**
   * Resolves when the accepted events are committed, with what became of each message.
   * @param userAgent of the caller, for messages without a user agent
   * @throws NotFoundError if the project was deleted in the meantime
   * @throws TooLargeError if there are more events than the server accepts at once
   */
  async collect(projectId: number, { batch, sentAt }: Batch, userAgent: string): Promise<Collected> {
    if (batch.length > MAX_BATCH_EVENTS) {
      throw new TooLargeError('events', MAX_BATCH_EVENTS);
    }
    const times = { receivedAt: nowMicros(), sentAt: parseTimestamp(sentAt) };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const definitions = await this.definitionsOf(projectId);
        const arrival = { ...times, definitions, userAgent, source: 'trusted' as const };
        const { events, links, outcomes, receipt } = resolveMessages(batch, arrival);
        const { changed, ignoredLinks } = await this.database.transaction((tx) =>
          this.writer.store(tx, [{ definitions, events, links }]),
        );
        this.counters.ignoreLinks(ignoredLinks);
        changed.forEach((id) => this.definitions.forget(id));
        return { outcomes, receipt };
      } catch (error) {
        if (!(error instanceof DefinitionsChangedError) || attempt === ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  private async definitionsOf(projectId: number): Promise<Definitions> {
    const version = (await this.versions.ofLiveProjects(this.database.read, [projectId])).get(projectId);
    if (version === undefined) {
      throw new NotFoundError();
    }
    return this.definitions.find(projectId, version);
  }
}
