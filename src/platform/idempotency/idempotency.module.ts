import { Module } from '@nestjs/common';
import { AnswerKeeper } from './answer-keeper';
import { ClaimLeases } from './claim-leases';
import { IdempotencyKeys } from './idempotency-keys';
import { IdempotencyStore } from './idempotency.store';

/** Idempotency keys and dry runs. */
@Module({
  providers: [IdempotencyKeys, IdempotencyStore, ClaimLeases, AnswerKeeper],
  exports: [IdempotencyKeys, ClaimLeases, AnswerKeeper],
})
export class IdempotencyModule {}
