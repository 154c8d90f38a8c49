import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database, Tx } from '../database/database';
import { placeholders, RowStore } from '../database/row-store';
import { Identity, type Account } from './user.entities';

@Injectable()
export class IdentityStore extends RowStore<Identity> {
  constructor(database: Database) {
    super(database, Identity);
  }

  /** The identity of an account, and whether its user is disabled. */
  async ofAccount(
    tx: Tx,
    { issuer, subject }: Account,
  ): Promise<{ id: number; user_id: number; isDisabled: boolean } | null> {
    const [row]: { id: number; user_id: number; disabled_at: unknown }[] = await tx.query(
      `SELECT i.id, i.user_id, u.disabled_at FROM identities i JOIN users u ON u.id = i.user_id
        WHERE i.issuer = ? AND i.subject = ?`,
      [issuer, subject],
    );
    return row === undefined
      ? null
      : { id: row.id, user_id: row.user_id, isDisabled: row.disabled_at !== null };
  }

  /** The identity of a user at a provider; null if there is none. */
  async ofUser(tx: Tx, userId: number, issuer: string): Promise<Identity | null> {
    const [row] = await this.find(tx, 'user_id = ? AND issuer = ?', [userId, issuer]);
    return row ?? null;
  }
}

/** Deletes the identities of a user. @returns the issuers of the deleted identities */
export async function deleteIdentities(tx: Tx, userId: number): Promise<string[]> {
  const rows: Pick<Account, 'issuer'>[] = await tx.query(
    'SELECT issuer FROM identities WHERE user_id = ? ORDER BY id',
    [userId],
  );
  await tx.query('DELETE FROM identities WHERE user_id = ?', [userId]);
  return rows.map(({ issuer }) => issuer);
}

/** The names of users, by id. */
export async function userNames(
  manager: EntityManager,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const wanted = [...new Set(ids)];
  const rows: { id: number; name: string }[] =
    wanted.length === 0
      ? []
      : await manager.query(
          `SELECT id, name FROM users WHERE id IN (${placeholders(wanted.length)})`,
          wanted,
        );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
