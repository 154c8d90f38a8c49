import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SignedInUser } from '../access/actor';
import { audit } from '../audit/audit-log';
import { Micros, nowMicros } from '../common/time/clock';
import { DAY_MICROS } from '../common/time/days';
import { Database, Tx } from '../database/database';
import type { User } from './user.entity';

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/** A session ends when it was not used for so long, and after so long in any case. */
const MAX_IDLE_MICROS = 14 * DAY_MICROS;
const MAX_AGE_MICROS = 90 * DAY_MICROS;

/** Uses are noted at most so often. */
const NOTED_EVERY_MICROS = DAY_MICROS / 24;

/** A session that goes on. */
export interface OpenSession extends SignedInUser {
  email: string;
  /** What the browser proves it with; kept nowhere else. */
  secret: string;
  expiresAt: Micros;
  /** Does it end later than the browser knows? */
  isExtended: boolean;
}

/** A session that was just begun. */
export type BegunSession = Pick<OpenSession, 'secret' | 'expiresAt'>;

interface Row {
  id: number;
  user_id: number;
  email: string;
  created_at: number | string;
  last_used_at: number | string;
  expires_at: number | string;
}

/** 256 random bits need no salt and no slow hash. */
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const endOf = (createdAt: Micros, usedAt: Micros): Micros =>
  Math.min(usedAt + MAX_IDLE_MICROS, createdAt + MAX_AGE_MICROS);

/** Ends the sessions of a user, all of them or all but one, in the transaction of the reason why. */
export async function endSessions(tx: Tx, userId: number, keptId = 0): Promise<void> {
  await tx.query('DELETE FROM sessions WHERE user_id = ? AND id <> ?', [userId, keptId]);
}

/** Who is signed in, with which browser, for how long. */
@Injectable()
export class Sessions {
  constructor(private readonly database: Database) {}

  /**
   * Begins a session, always with a new secret. The one that the browser had before ends.
   * @param user as it was when the password was verified
   * @param replaced the secret that the browser had, if any
   * @returns null when the password was changed or the user was disabled meanwhile
   */
  begin(
    { id: userId, password_hash: passwordHash }: User,
    replaced: string | undefined,
    now: Micros = nowMicros(),
  ): Promise<BegunSession | null> {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const expiresAt = endOf(now, now);
    return this.database.transaction(async (tx) => {
      const [user]: { id: number }[] = await tx.query(
        `SELECT id FROM users WHERE id = ? AND password_hash = ? AND disabled_at IS NULL${this.database.forShare}`,
        [userId, passwordHash],
      );
      if (user === undefined) {
        return null;
      }
      await tx.query('DELETE FROM sessions WHERE secret_hash = ?', [hashOf(replaced ?? '')]);
      await tx.query(
        'INSERT INTO sessions (user_id, secret_hash, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?)',
        [userId, hashOf(secret), now, now, expiresAt],
      );
      await note(tx, 'sign-in', userId);
      return { secret, expiresAt };
    });
  }

  /** The session with this secret, while it goes on and its user may sign in. Counts as a use of it. */
  async find(secret: string | undefined, now: Micros = nowMicros()): Promise<OpenSession | null> {
    if (secret === undefined || !SECRET.test(secret)) {
      return null;
    }
    const [row]: Row[] = await this.database.read.query(
      `SELECT s.id, s.user_id, u.email, s.created_at, s.last_used_at, s.expires_at
         FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.secret_hash = ? AND s.expires_at > ? AND u.disabled_at IS NULL`,
      [hashOf(secret), now],
    );
    if (row === undefined) {
      return null;
    }
    const { id: sessionId, user_id: userId, email } = row;
    const isExtended = now - Number(row.last_used_at) >= NOTED_EVERY_MICROS;
    const expiresAt = isExtended ? endOf(Number(row.created_at), now) : Number(row.expires_at);
    if (isExtended) {
      await this.noteUse(sessionId, now, expiresAt);
    }
    return { sessionId, userId, email, secret, expiresAt, isExtended };
  }

  /** Signs out. */
  async end({ sessionId, userId }: SignedInUser): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('DELETE FROM sessions WHERE id = ?', [sessionId]);
      await note(tx, 'sign-out', userId);
    });
  }

  /** Deletes what nobody can use any more. */
  async purgeExpired(now: Micros = nowMicros()): Promise<void> {
    await this.database.transaction((tx) => tx.query('DELETE FROM sessions WHERE expires_at <= ?', [now]));
  }

  private async noteUse(id: number, now: Micros, expiresAt: Micros): Promise<void> {
    await this.database.transaction((tx) =>
      tx.query('UPDATE sessions SET last_used_at = ?, expires_at = ? WHERE id = ?', [now, expiresAt, id]),
    );
  }
}

async function note(tx: Tx, action: string, userId: number): Promise<void> {
  await audit(tx, { userId, tokenId: null }, null, [
    { action, itemType: 'user', itemId: userId, before: null, after: null },
  ]);
}
