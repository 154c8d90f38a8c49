import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Ability, Actor } from '../access/actor';
import { nowMicros } from '../common/time/clock';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { hashToken, isTokenText } from './token-text';

const MAX_KEPT = 10_000;
/** Revocations and changes by other processes are noticed within this time. */
const KEEP_MS = 3_000;
const MINUTE_MICROS = 60_000_000;

interface TokenRow {
  id: number;
  user_id: number;
  abilities: string;
  rate_limit: number | null;
}

/** Tells who is behind a token, without asking the database each time, and notes when tokens are used. */
@Injectable()
export class TokenVerifier implements OnApplicationShutdown {
  private readonly logger = new Logger(TokenVerifier.name);
  private readonly actors = new LRUCache<string, Actor>({ max: MAX_KEPT, ttl: KEEP_MS });
  private readonly usedInMinute = new LRUCache<number, number>({ max: MAX_KEPT });
  /** Counts what was forgotten: a look-up from before may have found what is no longer there. */
  private forgotten = 0;
  private readonly noting = new Set<Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** The actor behind the text of a token; null when it is no valid token. Counts as a use of the token. */
  async verify(text: string): Promise<Actor | null> {
    const actor = await this.actorOf(text);
    if (actor !== null) {
      this.noteUse(actor.tokenId);
    }
    return actor;
  }

  /** As `verify`, without being a use. */
  async actorOf(text: string): Promise<Actor | null> {
    if (!isTokenText(text)) {
      return null;
    }
    const hash = hashToken(text);
    return this.actors.get(hash) ?? this.find(hash);
  }

  /** The token works no longer on this process, from now on. */
  forget(hash: string): void {
    this.forgotten += 1;
    this.actors.delete(hash);
  }

  /** Notes of uses that are on their way to the database are waited for. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.noting);
  }

  private async find(hash: string): Promise<Actor | null> {
    const { forgotten } = this;
    const [row]: TokenRow[] = await this.database.read.query(
      `SELECT t.id, t.user_id, t.abilities, u.rate_limit FROM api_tokens t JOIN users u ON u.id = t.user_id
        WHERE t.token_hash = ? AND u.disabled_at IS NULL`,
      [hash],
    );
    if (row === undefined) {
      return null;
    }
    const actor: Actor = {
      userId: row.user_id,
      tokenId: row.id,
      abilities: row.abilities.split(',') as Ability[],
      rateLimit: row.rate_limit ?? this.config.rateLimitPerMinute,
    };
    if (forgotten === this.forgotten) {
      this.actors.set(hash, actor);
    }
    return actor;
  }

  /** At most one write a minute for each token, and no request waits for it. */
  private noteUse(tokenId: number): void {
    const minute = Math.floor(nowMicros() / MINUTE_MICROS);
    if (this.usedInMinute.get(tokenId) === minute) {
      return;
    }
    this.usedInMinute.set(tokenId, minute);
    const note = this.database
      .transaction(async (tx) => {
        await tx.query('UPDATE api_tokens SET last_used_at = ? WHERE id = ?', [
          minute * MINUTE_MICROS,
          tokenId,
        ]);
      })
      .catch((error: unknown) => {
        this.logger.warn(`The use of token ${tokenId} could not be noted: ${String(error)}`);
      })
      .finally(() => this.noting.delete(note));
    this.noting.add(note);
  }
}
