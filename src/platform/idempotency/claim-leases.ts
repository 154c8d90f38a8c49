import { Injectable, Logger } from '@nestjs/common';
import { errorMessage } from '../../common/logging/logged-error';
import { IdempotencyKeys } from './idempotency-keys';

/** Milliseconds between renewals. A ten-second lease expires only if three renewals in a row fail or are late. */
const RENEWAL_MS = 3_000;

/**
 * Renews the leases of all claims that this process holds, with one statement. If the process dies or stops, its leases
 * expire and the keys become available again.
 */
@Injectable()
export class ClaimLeases {
  private readonly logger = new Logger(ClaimLeases.name);
  private readonly held = new Set<number>();
  private timer: NodeJS.Timeout | undefined;
  private isRenewing = false;

  constructor(private readonly keys: IdempotencyKeys) {}

  /** Renews the lease of a claim until its work ends. */
  async during<T>(claimId: number, work: () => Promise<T>): Promise<T> {
    this.held.add(claimId);
    this.timer ??= setInterval(() => void this.renew(), RENEWAL_MS).unref();
    try {
      return await work();
    } finally {
      this.held.delete(claimId);
      if (this.held.size === 0) {
        clearInterval(this.timer);
        this.timer = undefined;
      }
    }
  }

  private async renew(): Promise<void> {
    if (this.isRenewing) {
      return;
    }
    this.isRenewing = true;
    try {
      await this.keys.renew([...this.held]);
    } catch (error) {
      this.logger.warn(`Claims on idempotency keys could not be renewed: ${errorMessage(error)}`);
    } finally {
      this.isRenewing = false;
    }
  }
}
