import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InFlight } from '../../common/concurrency';
import { growingCache } from '../../common/lists/collections';
import { Database } from '../../database/database';

/** A version: either a single number, or several numbers with further values on which the response depends. */
export type Version = number | string;

/** The records on which a response depends, and their version. */
export interface Freshness {
  /** Identifies the version counter. */
  space: string;
  version: Version;
  /** The current version. */
  current: () => Promise<Version>;
}

/** A cached response. */
export interface ReadyAnswer {
  /** The version from which the response was built. */
  version: Version;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

const MAX_BYTES = 32 * 1024 * 1024;
const OVERHEAD_BYTES = 512;

/**
 * The response cache of this process, limited in bytes. An entry is used only if its version equals the current version
 * in the database, so a response is never stale, even after a write by a different process.
 */
export class ReadyAnswers {
  private readonly cache = new LRUCache<string, ReadyAnswer>({
    maxSize: MAX_BYTES,
    sizeCalculation: (answer, key) => answer.body.length + key.length + OVERHEAD_BYTES,
  });

  /** @param space the records that the version counts, such as `project:12:goals` */
  find(space: string, url: string, version: Version): ReadyAnswer | null {
    const answer = this.cache.get(`${space} ${url}`);
    return answer?.version === version ? answer : null;
  }

  keep(space: string, url: string, answer: ReadyAnswer): void {
    this.cache.set(`${space} ${url}`, answer);
  }
}

/**
 * The time, in milliseconds, for which reads in a space use snapshots after a write has interfered with a read. Writes
 * tend to come in bursts, so the next one would probably interfere as well.
 */
const UNSTEADY_MS = 200;
const MAX_UNSTEADY = 10_000;

/** How to read a response. */
export interface AnswerReading {
  /** The version that the response had at the start of the request. */
  freshness: Freshness;
  url: string;
  /** Null for responses without bytes. */
  read: () => Promise<ReadyAnswer | null>;
  /** Reads the current version of the response; returns a cached response if there is one. */
  lookAgain: () => Promise<ReadyAnswer | null>;
}

/**
 * Builds each response from a single database state, even if it takes several statements. Concurrent requests for the
 * same version share one build.
 */
@Injectable()
export class SharedReads {
  private readonly pending = new InFlight<ReadyAnswer | null>();
  private readonly unsteady = growingCache<string, true>(MAX_UNSTEADY, UNSTEADY_MS);

  constructor(
    private readonly database: Database,
    private readonly answers: ReadyAnswers,
  ) {}

  /** The response for the current version or a later one. */
  async read(reading: AnswerReading): Promise<ReadyAnswer | null> {
    const { freshness, url } = reading;
    const key = `${freshness.space} ${freshness.version} ${url}`;
    // The shared read may have failed only for its caller, for example because the caller has lost access.
    const shared = await this.pending.find(key)?.catch(() => null);
    return shared ?? this.pending.start(key, () => this.readAndKeep(reading));
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
