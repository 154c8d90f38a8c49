import { Injectable } from '@nestjs/common';
import { Micros, nowMicros } from '../common/time/clock';
import { DAY_MICROS } from '../common/time/days';
import { Database, Tx } from '../database/database';
import { isUniqueViolation } from '../database/errors';
import { piecesOf } from '../database/pieces';
import { RowStore } from '../database/row-store';
import { Demand, Finding, judge, KeptAnswer } from './finding';
import { IdempotencyKey } from './idempotency-key.entity';

/**
 * The keys of users, shared by all processes. Who claims a key does the work; its answer is kept in the transaction
 * of the work, which fails when somebody else has taken the claim over meanwhile. So no work is done twice.
 */
@Injectable()
export class IdempotencyKeys {
  private readonly keys: RowStore<IdempotencyKey>;

  constructor(private readonly database: Database) {
    this.keys = new RowStore(database, IdempotencyKey);
  }

  /** Claims a key, or finds what has become of it. */
  async claim(demand: Demand, now: Micros = nowMicros()): Promise<Finding> {
    for (;;) {
      try {
        return await this.database.transaction((tx) => this.claimOnce(tx, demand, now));
      } catch (error) {
        // Another process has claimed the key first; then it is found.
        if (!isUniqueViolation(error)) {
          throw error;
        }
      }
    }
  }

  /** Keeps the answer to a claimed request, unless it has one. @returns whether the claim still held */
  async keep(tx: Tx, claimId: number, { status, headers, body }: KeptAnswer): Promise<boolean> {
    const claim = await this.find(tx, claimId);
    if (claim?.status !== null) {
      return claim !== undefined;
    }
    await tx.query('UPDATE idempotency_keys SET status = ?, headers = ? WHERE id = ?', [
      status,
      JSON.stringify(headers),
      claimId,
    ]);
    for (const [part, bytes] of piecesOf(body).entries()) {
      const sql = 'INSERT INTO idempotency_bodies (key_id, part, bytes) VALUES (?, ?, ?)';
      await tx.query(sql, [claimId, part, bytes]);
    }
    return true;
  }

  /** Has nobody taken the claim over? Nobody can then until the transaction ends. */
  async holds(tx: Tx, claimId: number): Promise<boolean> {
    return (await this.find(tx, claimId)) !== undefined;
  }

  /** Lets go of a claim whose request has no answer that is kept. */
  async release(claimId: number): Promise<void> {
    await this.database.transaction((tx) =>
      tx.query('DELETE FROM idempotency_keys WHERE id = ? AND status IS NULL', [claimId]),
    );
  }

  /** Deletes for good what has been kept for a day. */
  async purgeExpired(now: Micros = nowMicros()): Promise<void> {
    await this.database.transaction((tx) =>
      tx.query('DELETE FROM idempotency_keys WHERE claimed_at <= ?', [now - DAY_MICROS]),
    );
  }

  private async find(tx: Tx, claimId: number): Promise<IdempotencyKey | undefined> {
    const [claim] = await this.keys.find(tx, 'id = ?', [claimId], this.database.forUpdate);
    return claim;
  }

  private async claimOnce(tx: Tx, demand: Demand, now: Micros): Promise<Finding> {
    const { userId, keyHash, fingerprint } = demand;
    const [row] = await this.keys.find(
      tx,
      'user_id = ? AND key_hash = ?',
      [userId, keyHash],
      this.database.forUpdate,
    );
    const found = row === undefined ? 'free' : judge(row, fingerprint, now);
    if (found === 'answered') {
      return { found, answer: await this.answer(tx, row) };
    }
    if (found !== 'free') {
      return { found };
    }
    if (row !== undefined) {
      await tx.query('DELETE FROM idempotency_keys WHERE id = ?', [row.id]);
    }
    const columns = { user_id: userId, key_hash: keyHash, fingerprint, claimed_at: now };
    const claimId = await this.keys.insert(tx, { ...columns, status: null, headers: null });
    return { found: 'claimed', claimId };
  }

  private async answer(tx: Tx, { id, status, headers }: IdempotencyKey): Promise<KeptAnswer> {
    const parts: { bytes: Buffer }[] = await tx.query(
      'SELECT bytes FROM idempotency_bodies WHERE key_id = ? ORDER BY part',
      [id],
    );
    return {
      status: status ?? 0,
      headers: headers ?? {},
      body: Buffer.concat(parts.map(({ bytes }) => bytes)),
    };
  }
}
