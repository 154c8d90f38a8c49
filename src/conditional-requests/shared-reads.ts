import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Freshness } from '../access/scope-resolver';
import { ReadyAnswer, ReadyAnswers } from '../common/conditional-requests/ready-answers';
import { Database } from '../database/database';

/** After a write during a read, reads of the same space use snapshots for this time, because writes come in series. */
const UNSTEADY_MS = 200;
const MAX_UNSTEADY = 10_000;

/** The functions that read a response. */
export interface AnswerReading {
  /** The version of the response at the start of the request. */
  freshness: Freshness;
  url: string;
  /** Null for responses without bytes. */
  read: () => Promise<ReadyAnswer | null>;
  /** Reads the current version of the response; returns a cached response if there is one. */
  lookAgain: () => Promise<ReadyAnswer | null>;
}

/**
 * Builds responses from several statements, each from one state of the database. Concurrent requests for the same
 * version share one build.
 */
@Injectable()
export class SharedReads {
  private readonly pending = new Map<string, Promise<ReadyAnswer | null>>();
  private readonly unsteady = new LRUCache<string, true>({ max: MAX_UNSTEADY, ttl: UNSTEADY_MS });

  constructor(
    private readonly database: Database,
    private readonly answers: ReadyAnswers,
  ) {}

  /** The response of the current version or a later one. */
  async read(reading: AnswerReading): Promise<ReadyAnswer | null> {
    const { freshness, url } = reading;
    const key = `${freshness.space} ${freshness.version} ${url}`;
    // A failure may concern a single caller, who may have lost access.
    const shared = await this.pending.get(key)?.catch(() => null);
    return shared ?? this.share(key, reading);
  }

  private share(key: string, reading: AnswerReading): Promise<ReadyAnswer | null> {
    const own = this.readAndKeep(reading).finally(() => {
      if (this.pending.get(key) === own) {
        this.pending.delete(key);
      }
    });
    this.pending.set(key, own);
    return own;
  }

  private async readAndKeep(reading: AnswerReading): Promise<ReadyAnswer | null> {
    const answer = await this.readWhole(reading);
    if (answer !== null) {
      this.answers.keep(reading.freshness.space, reading.url, answer);
    }
    return answer;
  }

  private async readWhole({ freshness, read, lookAgain }: AnswerReading): Promise<ReadyAnswer | null> {
    const { space, version, current } = freshness;
    if (!this.unsteady.has(space)) {
      const answer = await read();
      if ((await current()) === version) {
        return answer;
      }
      this.unsteady.set(space, true);
    }
    return this.database.snapshot(async () => {
      const known = (await current()) === version ? null : await lookAgain();
      return known ?? read();
    });
  }
}
