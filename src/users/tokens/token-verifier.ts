import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { Ability, Actor } from '../../platform/access/actor';
import { growingCache } from '../../common/lists/collections';
import { Micros, nowMicros } from '../../common/time/clock';
import { Config } from '../../config/config';
import { LastUses } from '../last-uses';
import { hashToken, isTokenText } from './token-text';
import { TokenStore } from './token.store';

const MAX_KEPT = 10_000;
/** How long tokens are cached, and therefore how long revocations and changes by other processes may go unnoticed. */
const KEEP_MS = 3_000;

/** The user on whose behalf a token makes a request. */
export type TokenActor = Actor & { tokenId: number };

/** A cached token, whose expiry is checked for each request. */
interface Verified {
  actor: TokenActor;
  expiresAt: Micros | null;
}

/** Resolves tokens to users, using a cache, and records when each token was last used. */
@Injectable()
export class TokenVerifier implements OnApplicationShutdown {
  private readonly uses = new LastUses('token', new Logger(TokenVerifier.name));
  private readonly actors = growingCache<string, Verified>(MAX_KEPT, KEEP_MS);
  /** Counts invalidations, because a lookup that began earlier may have found a row that no longer exists. */
  private forgotten = 0;

  constructor(
    private readonly store: TokenStore,
    private readonly config: Config,
  ) {}

  /** The actor that a token authenticates; null if the token is invalid. The call counts as a use of the token. */
  async verify(text: string): Promise<TokenActor | null> {
    const actor = await this.actorOf(text);
    if (actor !== null) {
      const { tokenId } = actor;
      this.uses.note(tokenId, nowMicros(), (minute) => this.store.noteUse(tokenId, minute));
    }
    return actor;
  }

  /** Like `verify`, but does not count as a use of the token. */
  async actorOf(text: string): Promise<TokenActor | null> {
    if (!isTokenText(text)) {
      return null;
    }
    const hash = hashToken(text);
    const verified = this.actors.get(hash) ?? (await this.find(hash));
    return verified === null || hasExpired(verified) ? null : verified.actor;
  }

  /** Invalidates the token in this process immediately. */
  forget(hash: string): void {
    this.forgotten += 1;
    this.actors.delete(hash);
  }

  /** Waits until all pending times of last use have been written. */
  async onApplicationShutdown(): Promise<void> {
    await this.uses.stored();
  }

  private async find(hash: string): Promise<Verified | null> {
    const { forgotten } = this;
    const row = await this.store.findByHash(hash);
    if (row === null) {
      return null;
    }
    const actor: TokenActor = {
      userId: row.user_id,
      tokenId: row.id,
      abilities: row.abilities.split(',') as Ability[],
      rateLimit: row.rate_limit ?? this.config.rateLimitPerMinute,
      ...(row.project_ids !== null && { projectIds: row.project_ids }),
    };
    const verified = { actor, expiresAt: row.expires_at };
    if (forgotten === this.forgotten) {
      this.actors.set(hash, verified);
    }
    return verified;
  }
}

const hasExpired = ({ expiresAt }: Verified): boolean => expiresAt !== null && nowMicros() >= expiresAt;
