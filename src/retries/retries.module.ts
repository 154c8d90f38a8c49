import { Module } from '@nestjs/common';
import { AnswerKeeper } from './answer-keeper';
import { IdempotencyKeys } from './idempotency-keys';

/** Repeating a write safely, and trying one out. */
@Module({ providers: [IdempotencyKeys, AnswerKeeper], exports: [IdempotencyKeys, AnswerKeeper] })
export class RetriesModule {}
