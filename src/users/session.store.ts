import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { countRows } from '../database/row-locks';
import { RowStore } from '../database/row-store';
import { Session } from './session.entity';
import type { User } from './user.entity';

/** A user as they were when the password was verified. */
export type VerifiedUser = Pick<User, 'id' | 'password_hash'>;

/** A session that has not expired, with its user. */
export interface LiveSession {
  id: number;
  user_id: number;
  email: string;
  created_at: Micros;
  last_used_at: Micros;
  expires_at: Micros;
}

type Moments = 'created_at' | 'last_used_at' | 'expires_at';
type LiveSessionRow = Omit<LiveSession, Moments> & Record<Moments, number | string>;

@Injectable()
export class SessionStore extends RowStore<Session> {
  constructor(private readonly database: Database) {
    super(database, Session);
  }

  /**
   * Counts the user's row up, which a change of the password also changes, so that two nodes of a cluster conflict.
   * @returns false when the password was changed or the user was disabled meanwhile
   */
  async lockVerified(tx: Tx, { id, password_hash }: VerifiedUser): Promise<boolean> {
    const found = await countRows(
      tx,
      `UPDATE users SET lock_version = lock_version + 1
        WHERE id = ? AND password_hash = ? AND disabled_at IS NULL`,
      [id, password_hash],
    );
    return found > 0;
  }

  /** The session with this hash, unless it has expired or its user is disabled. */
  async findLive(secretHash: string, now: Micros): Promise<LiveSession | null> {
    const [row]: LiveSessionRow[] = await this.database.read.query(
      `SELECT s.id, s.user_id, u.email, s.created_at, s.last_used_at, s.expires_at
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
        };
  }

  /** The sessions of a user that have not expired, newest use first. */
  ofUser(userId: number, now: Micros): Promise<Session[]> {
    const tail = 'ORDER BY last_used_at DESC, id DESC';
    return this.find(this.database.read, 'user_id = ? AND expires_at > ?', [userId, now], tail);
  }

  async noteUse(tx: Tx, id: number, now: Micros, expiresAt: Micros): Promise<void> {
    await tx.query('UPDATE sessions SET last_used_at = ?, expires_at = ? WHERE id = ?', [now, expiresAt, id]);
  }

  /** @returns false when the user has no such session */
  async deleteOf(tx: Tx, userId: number, id: number): Promise<boolean> {
    return (await countRows(tx, 'DELETE FROM sessions WHERE id = ? AND user_id = ?', [id, userId])) > 0;
  }

  async deleteByHash(tx: Tx, secretHash: string): Promise<void> {
    await tx.query('DELETE FROM sessions WHERE secret_hash = ?', [secretHash]);
  }

  async deleteExpired(tx: Tx, now: Micros): Promise<void> {
    await tx.query('DELETE FROM sessions WHERE expires_at <= ?', [now]);
  }
}

/** Ends the sessions of a user, all of them or all but one, in the transaction of the reason why. */
export async function endSessions(tx: Tx, userId: number, keptId = 0): Promise<void> {
  await tx.query('DELETE FROM sessions WHERE user_id = ? AND id <> ?', [userId, keptId]);
}
