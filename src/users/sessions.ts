import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { SignedInUser } from '../platform/access/actor';
import { audit, type AuditAction } from '../audit/audit-log';
import { hashOfSecret, isSecret } from '../common/text/secrets';
import { cutCopy } from '../common/text/strings';
import { DAY_MICROS, formatMicros, Micros, nowMicros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { LastUses } from './last-uses';
import { endSessions, ProvenUser, SessionStore } from './session.store';

/** Maximum length of user agents, in characters. Longer user agents are truncated. */
const MAX_USER_AGENT = 255;

/** Idle timeout and maximum lifetime of a session. */
const MAX_IDLE_MICROS = 14 * DAY_MICROS;
const MAX_AGE_MICROS = 90 * DAY_MICROS;

/** Minimum interval between two updates of a session's time of last use. */
const NOTED_EVERY_MICROS = DAY_MICROS / 24;

/** A valid session. */
export interface OpenSession extends SignedInUser {
  expiresAt: Micros;
  /** Whether the session is to expire later than the browser's cookie. */
  isExtended: boolean;
}

/** The data of a new session. */
export interface NewSession {
  user: ProvenUser;
  /** Only a hash of the secret is stored. */
  secret: string;
  userAgent: string;
}

/** A session in the list. */
export interface SessionRecord {
  id: number;
  user_agent: string | null;
  created_at: string;
  /** This time is accurate to the hour. */
  last_used_at: string;
}

const endOf = (createdAt: Micros, usedAt: Micros): Micros =>
  Math.min(usedAt + MAX_IDLE_MICROS, createdAt + MAX_AGE_MICROS);

/** Sessions of signed-in users. */
@Injectable()
export class Sessions implements OnApplicationShutdown {
  private readonly uses = new LastUses('session', new Logger(Sessions.name));

  constructor(
    private readonly database: Database,
    private readonly store: SessionStore,
  ) {}

  /**
   * Starts a session.
   * @returns the time at which the session expires if it is not used; null if the password has been changed, the
   * account has been unlinked or the user has been disabled in the meantime
   */
  begin({ user, secret, userAgent }: NewSession, now: Micros = nowMicros()): Promise<Micros | null> {
    const expiresAt = endOf(now, now);
    return this.database.transaction(async (tx) => {
      if (!(await this.store.lockProven(tx, user))) {
        return null;
      }
      await this.store.insert(tx, {
        user_id: user.id,
        secret_hash: hashOfSecret(secret),
        created_at: now,
        last_used_at: now,
        expires_at: expiresAt,
        confirmed_at: null,
        user_agent: cutCopy(userAgent, MAX_USER_AGENT),
      });
      await note(tx, 'sign-in', user.id);
      return expiresAt;
    });
  }

  /**
   * The valid session with this secret, provided that its user may sign in. Each call counts as a use of the session.
   * While nothing can be written, the session keeps its end, and later uses try again to extend it.
   */
  async find(secret: string, now: Micros = nowMicros()): Promise<OpenSession | null> {
    const row = isSecret(secret) ? await this.store.findLive(hashOfSecret(secret), now) : null;
    if (row === null) {
      return null;
    }
    const { id: sessionId, user_id: userId, email, rate_limit: rateLimit } = row;
    const isExtended = now - row.last_used_at >= NOTED_EVERY_MICROS;
    const expiresAt = isExtended ? endOf(row.created_at, now) : row.expires_at;
    if (isExtended) {
      this.uses.note(sessionId, now, () => this.noteUse(sessionId, now, expiresAt));
    }
    return { sessionId, userId, email, rateLimit, confirmedAt: row.confirmed_at, expiresAt, isExtended };
  }

  /** Records that the session's user has entered the password again. */
  async confirm(sessionId: number, now: Micros = nowMicros()): Promise<void> {
    await this.database.transaction((tx) => this.store.noteConfirmation(tx, sessionId, now));
  }

  /** Signs out. */
  async end({ sessionId, userId }: Pick<SignedInUser, 'sessionId' | 'userId'>): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.store.delete(tx, sessionId);
      await note(tx, 'sign-out', userId);
    });
  }

  /** The valid sessions of a user, most recently used first. */
  async list(userId: number, now: Micros = nowMicros()): Promise<SessionRecord[]> {
    const rows = await this.store.ofUser(userId, now);
    return rows.map(({ id, user_agent, created_at, last_used_at }) => ({
      id,
      user_agent,
      created_at: formatMicros(created_at),
      last_used_at: formatMicros(last_used_at),
    }));
  }

  /** Ends one of the user's other sessions. @returns false if the user has no such session */
  endOther(userId: number, id: number): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const isFound = await this.store.deleteOf(tx, userId, id);
      if (isFound) {
        await note(tx, 'end-session', userId);
      }
      return isFound;
    });
  }

  /** Ends all sessions of a user except one. */
  async endOthers(userId: number, keptId: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      await endSessions(tx, userId, keptId);
      await note(tx, 'end-sessions', userId);
    });
  }

  /** Ends the session with this secret, if there is one, because a new session replaces it. */
  async discard(secret: string): Promise<void> {
    await this.database.transaction((tx) => this.store.deleteByHash(tx, hashOfSecret(secret)));
  }

  /** Waits until all pending times of last use have been stored. */
  async onApplicationShutdown(): Promise<void> {
    await this.uses.stored();
  }

  /** Deletes expired sessions. */
  purgeExpired(now: Micros = nowMicros()): Promise<void> {
    return this.store.deleteExpired(now);
  }

  private noteUse(id: number, now: Micros, expiresAt: Micros): Promise<void> {
    return this.database.transaction((tx) => this.store.noteUse(tx, id, now, expiresAt));
  }
}

async function note(tx: Tx, action: AuditAction, userId: number): Promise<void> {
  await audit(tx, { userId, tokenId: null }, null, [
    { action, itemType: 'user', itemId: userId, before: null, after: null },
  ]);
}
