import { Injectable } from '@nestjs/common';
import { DAY_MICROS, Micros, nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { isUniqueViolation } from '../../database/errors';
import { KeyedRequest, KeyClaim, judge, KeptAnswer, leaseEnd } from './key-claim';
import type { IdempotencyKey } from './idempotency-key.entity';
import { IdempotencyStore } from './idempotency.store';

/**
 * The idempotency keys of users, shared by all processes. The process that claims a key does the work and renews its
 * lease until the work is done. The response is stored in the same transaction as the work. This transaction fails if
 * the lease has expired and a different request has claimed the key, so no work is done twice. The check relies only on
 * a unique key and on row updates, because database clusters do not replicate row locks.
 */
@Injectable()
export class IdempotencyKeys {
  constructor(
    private readonly database: Database,
    private readonly store: IdempotencyStore,
  ) {}

  /** Claims a key, or finds the earlier claim. */
  async claim(keyed: KeyedRequest, now: Micros = nowMicros()): Promise<KeyClaim> {
    for (;;) {
      try {
        return await this.database.transaction((tx) => this.claimOnce(tx, keyed, now));
      } catch (error) {
        // A different process has claimed the key first, so read its claim.
        if (!isUniqueViolation(error)) {
          throw error;
        }
      }
    }
  }

  /** Stores the response to a claimed request, unless it has one. @returns whether the claim was still valid */
  async keep(tx: Tx, claimId: number, answer: KeptAnswer): Promise<boolean> {
    const claim = await this.store.checkOut(tx, claimId);
    if (claim?.status !== null) {
      return claim !== undefined;
    }
    await this.store.keepAnswer(tx, claimId, answer);
    return true;
  }

  /** Whether the claim is still valid. If so, no other request can claim the key until the transaction ends. */
  async holds(tx: Tx, claimId: number): Promise<boolean> {
    return (await this.store.checkOut(tx, claimId)) !== undefined;
  }

  /** Extends the leases of valid claims without a response. */
  async renew(claimIds: readonly number[], now: Micros = nowMicros()): Promise<void> {
    await this.database.transaction((tx) => this.store.setLeases(tx, claimIds, leaseEnd(now)));
  }

  /** Releases the claim of a request without a stored response. */
  async release(claimId: number): Promise<void> {
    await this.database.transaction((tx) => this.store.deleteUnanswered(tx, claimId));
  }

  /** Deletes keys and responses after one day. */
  purgeExpired(now: Micros = nowMicros()): Promise<void> {
    return this.store.deleteClaimedUntil(now - DAY_MICROS);
  }

  private async claimOnce(tx: Tx, keyed: KeyedRequest, now: Micros): Promise<KeyClaim> {
    const { userId, keyHash, fingerprint } = keyed;
    const row = await this.store.findByKey(tx, userId, keyHash);
    if (row !== undefined) {
      const found = judge(row, fingerprint, now);
      if (found === 'answered') {
        return { found, answer: await this.answer(tx, row) };
      }
      if (found !== 'free') {
        return { found };
      }
      await this.store.delete(tx, row.id);
    }
    const columns = { user_id: userId, key_hash: keyHash, fingerprint, claimed_at: now };
    const lease = { lease_until: leaseEnd(now), status: null, headers: null };
    const claimId = await this.store.insert(tx, { ...columns, ...lease });
    return { found: 'claimed', claimId };
  }

  private async answer(tx: Tx, { id, status, headers }: IdempotencyKey): Promise<KeptAnswer> {
    return { status: status ?? 0, headers: headers ?? {}, body: await this.store.body(tx, id) };
  }
}
