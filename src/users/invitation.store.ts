import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { countRows } from '../database/row-store';

/** The user of a valid invitation link. */
export interface InvitedUser {
  user_id: number;
  email: string;
}

/** The invitations of users who have no password and are not disabled. */
const OPEN = `invitations i JOIN users u ON u.id = i.user_id
  WHERE u.password_hash IS NULL AND u.disabled_at IS NULL`;

/**
 * Withdraws the links of all members of the teams in which the user is an admin, because the user may have kept them.
 * The members can be invited again.
 */
export async function withdrawLinksKnownTo(tx: Tx, adminId: number, now: Micros): Promise<void> {
  await tx.query(
    `UPDATE invitations SET secret_hash = NULL, expires_at = ?
      WHERE user_id IN (SELECT m.user_id FROM memberships a JOIN memberships m ON m.team_id = a.team_id
        WHERE a.user_id = ? AND a.role = 'admin')`,
    [now, adminId],
  );
}

@Injectable()
export class InvitationStore {
  constructor(private readonly database: Database) {}

  async insert(tx: Tx, userId: number, secretHash: string, now: Micros, expiresAt: Micros): Promise<void> {
    await tx.query(
      'INSERT INTO invitations (user_id, secret_hash, expires_at, created_at) VALUES (?, ?, ?, ?)',
      [userId, secretHash, expiresAt, now],
    );
  }

  /** Replaces the link. @param secretHash null withdraws the link @returns false if the user has no invitation */
  async replace(tx: Tx, userId: number, secretHash: string | null, expiresAt: Micros): Promise<boolean> {
    const sql = 'UPDATE invitations SET secret_hash = ?, expires_at = ? WHERE user_id = ?';
    return (await countRows(tx, sql, [secretHash, expiresAt, userId])) > 0;
  }

  async withdrawOfTeam(tx: Tx, teamId: number, now: Micros): Promise<void> {
    await tx.query(
      `UPDATE invitations SET secret_hash = NULL, expires_at = ?
        WHERE user_id IN (SELECT user_id FROM memberships WHERE team_id = ?)`,
      [now, teamId],
    );
  }

  async find(manager: EntityManager, secretHash: string, now: Micros): Promise<InvitedUser | null> {
    const [row]: InvitedUser[] = await manager.query(
      `SELECT i.user_id, u.email FROM ${OPEN} AND i.secret_hash = ? AND i.expires_at > ?`,
      [secretHash, now],
    );
    return row ?? null;
  }

  /** Whether the user was invited and has not set a password yet. */
  async isOpen(manager: EntityManager, userId: number): Promise<boolean> {
    const rows: unknown[] = await manager.query(`SELECT 1 FROM ${OPEN} AND i.user_id = ?`, [userId]);
    return rows.length > 0;
  }

  /**
   * Deletes the invitation with this link. @returns false if the link has expired or a concurrent request has used it
   */
  async use(tx: Tx, secretHash: string, now: Micros): Promise<boolean> {
    const sql = 'DELETE FROM invitations WHERE secret_hash = ? AND expires_at > ?';
    return (await countRows(tx, sql, [secretHash, now])) > 0;
  }

  async delete(tx: Tx, userId: number): Promise<void> {
    await tx.query('DELETE FROM invitations WHERE user_id = ?', [userId]);
  }

  /** Sets the first password. @returns false if the user already has a password or is disabled */
  async setFirstPassword(tx: Tx, userId: number, passwordHash: string, now: Micros): Promise<boolean> {
    const found = await countRows(
      tx,
      `UPDATE users SET password_hash = ?, updated_at = ?, lock_version = lock_version + 1
        WHERE id = ? AND password_hash IS NULL AND disabled_at IS NULL`,
      [passwordHash, now, userId],
    );
    return found > 0;
  }

  get read(): EntityManager {
    return this.database.read;
  }
}
