import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { deleteInSteps, expiredRows } from '../database/stepwise-deletes';
import { countRows, RowStore } from '../database/row-store';
import { Session } from './user.entities';
import type { User } from './user.entities';

/** A user and the password hash against which the password was verified. */
export type VerifiedUser = Pick<User, 'id' | 'password_hash'>;

/** A user who was authenticated by an OpenID Connect provider. */
export interface IdentifiedUser {
  id: number;
  identity_id: number;
}

/** A user who may begin a session. */
export type ProvenUser = VerifiedUser | IdentifiedUser;

/** A session that has not expired, with its user. */
export interface LiveSession {
  id: number;
  user_id: number;
  email: string;
  rate_limit: number | null;
  created_at: Micros;
  last_used_at: Micros;
  expires_at: Micros;
  /** When the password was last entered, either at sign-in or later. */
  confirmed_at: Micros;
}

type Moments = 'created_at' | 'last_used_at' | 'expires_at' | 'confirmed_at';
type LiveSessionRow = Omit<LiveSession, Moments> & Record<Moments, number | string>;

@Injectable()
export class SessionStore extends RowStore<Session> {
  constructor(private readonly database: Database) {
    super(database, Session);
  }

  /**
   * Increments the user's `lock_version`. Changing the password does the same, so beginning a session conflicts with
   * changing the password, even on different nodes of a cluster.
   * @returns false if the password has been changed, the account has been unlinked or the user has been disabled in the
   * meantime
   */
  async lockProven(tx: Tx, user: ProvenUser): Promise<boolean> {
    const [proof, value] =
      'identity_id' in user
        ? ['id = (SELECT user_id FROM identities WHERE id = ?)', user.identity_id]
        : ['password_hash = ?', user.password_hash];
    const found = await countRows(
      tx,
      `UPDATE users SET lock_version = lock_version + 1 WHERE id = ? AND ${proof} AND disabled_at IS NULL`,
      [user.id, value],
    );
    return found > 0;
  }

  /** The session with this hash, unless it has expired or its user is disabled. */
  async findLive(secretHash: string, now: Micros): Promise<LiveSession | null> {
    const [row]: LiveSessionRow[] = await this.database.read.query(
      `SELECT s.id, s.user_id, u.email, u.rate_limit, s.created_at, s.last_used_at, s.expires_at,
              COALESCE(s.confirmed_at, s.created_at) AS confirmed_at
         FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.secret_hash = ? AND s.expires_at > ? AND u.disabled_at IS NULL`,
      [secretHash, now],
    );
    return row === undefined
      ? null
      : {
          ...row,
          created_at: Number(row.created_at),
          last_used_at: Number(row.last_used_at),
          expires_at: Number(row.expires_at),
          confirmed_at: Number(row.confirmed_at),
        };
  }

  /** The sessions of a user that have not expired, most recently used first. */
  ofUser(userId: number, now: Micros): Promise<Session[]> {
    const tail = 'ORDER BY last_used_at DESC, id DESC';
    return this.find(this.database.read, 'user_id = ? AND expires_at > ?', [userId, now], tail);
  }

  /** Extends a session, unless a later use has extended it already. */
  async noteUse(tx: Tx, id: number, now: Micros, expiresAt: Micros): Promise<void> {
    await tx.query('UPDATE sessions SET last_used_at = ?, expires_at = ? WHERE id = ? AND last_used_at < ?', [
      now,
      expiresAt,
      id,
      now,
    ]);
  }

  /** Records that the password was entered again. */
  async noteConfirmation(tx: Tx, id: number, now: Micros): Promise<void> {
    await tx.query('UPDATE sessions SET confirmed_at = ? WHERE id = ?', [now, id]);
  }

  /** Deletes a session of the user. @returns false if the user has no such session */
  async deleteOf(tx: Tx, userId: number, id: number): Promise<boolean> {
    return (await countRows(tx, 'DELETE FROM sessions WHERE id = ? AND user_id = ?', [id, userId])) > 0;
  }

  async deleteByHash(tx: Tx, secretHash: string): Promise<void> {
    await tx.query('DELETE FROM sessions WHERE secret_hash = ?', [secretHash]);
  }

  deleteExpired(now: Micros): Promise<void> {
    return deleteInSteps(this.database, expiredRows(this.table, 'expires_at', now));
  }
}

/** Ends all sessions of a user, or all but one, in the same transaction as the change that requires this. */
export async function endSessions(tx: Tx, userId: number, keptId = 0): Promise<void> {
  await tx.query('DELETE FROM sessions WHERE user_id = ? AND id <> ?', [userId, keptId]);
}
