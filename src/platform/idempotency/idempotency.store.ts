import { Injectable } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { deleteInSteps, expiredRows } from '../../database/stepwise-deletes';
import { piecesOf, placeholders, RowStore } from '../../database/row-store';
import type { KeptAnswer } from './key-claim';
import { IdempotencyKey } from './idempotency-key.entity';

/** Number of expired keys to delete per transaction. Each may have a response of several megabytes. */
const EXPIRED = 50;

/** Idempotency keys and stored responses. */
@Injectable()
export class IdempotencyStore extends RowStore<IdempotencyKey> {
  /** SQL suffix that locks the key until the transaction ends. */
  private readonly forUpdate: string;

  constructor(private readonly database: Database) {
    super(database, IdempotencyKey);
    this.forUpdate = database.forUpdate;
  }

  /** The claim to a user's key; undefined if there is none. */
  async findByKey(tx: Tx, userId: number, keyHash: string): Promise<IdempotencyKey | undefined> {
    const [row] = await this.find(tx, 'user_id = ? AND key_hash = ?', [userId, keyHash], this.forUpdate);
    return row;
  }

  /** The claim. Its row is updated before it is read, so a takeover on a different database node causes a conflict. */
  async checkOut(tx: Tx, claimId: number): Promise<IdempotencyKey | undefined> {
    const sql = 'UPDATE idempotency_keys SET lease_until = lease_until + 1 WHERE id = ? AND status IS NULL';
    await tx.query(sql, [claimId]);
    const [claim] = await this.find(tx, 'id = ?', [claimId]);
    return claim;
  }

  /** Stores the response to a claimed request and ends the lease. */
  async keepAnswer(tx: Tx, claimId: number, { status, headers, body }: KeptAnswer): Promise<void> {
    await tx.query('UPDATE idempotency_keys SET status = ?, headers = ?, lease_until = NULL WHERE id = ?', [
      status,
      JSON.stringify(headers),
      claimId,
    ]);
    for (const [part, bytes] of piecesOf(body).entries()) {
      const sql = 'INSERT INTO idempotency_bodies (key_id, part, bytes) VALUES (?, ?, ?)';
      await tx.query(sql, [claimId, part, bytes]);
    }
  }

  /** The body of a stored response. */
  async body(tx: Tx, claimId: number): Promise<Buffer> {
    const parts: { bytes: Buffer }[] = await tx.query(
      'SELECT bytes FROM idempotency_bodies WHERE key_id = ? ORDER BY part',
      [claimId],
    );
    return Buffer.concat(parts.map(({ bytes }) => bytes));
  }

  /** Sets the lease expiry of valid claims that have no response. */
  async setLeases(tx: Tx, claimIds: readonly number[], leaseUntil: Micros): Promise<void> {
    const sql = `UPDATE idempotency_keys SET lease_until = ? WHERE id IN (${placeholders(claimIds.length)}) AND status IS NULL`;
    await tx.query(sql, [leaseUntil, ...claimIds]);
  }

  /** Deletes a claim without a response. */
  async deleteUnanswered(tx: Tx, claimId: number): Promise<void> {
    await tx.query('DELETE FROM idempotency_keys WHERE id = ? AND status IS NULL', [claimId]);
  }

  /** Deletes the keys that were claimed up to a given time, with their responses. */
  deleteClaimedUntil(until: Micros): Promise<void> {
    return deleteInSteps(this.database, { ...expiredRows(this.table, 'claimed_at', until), batch: EXPIRED });
  }
}
