import { Module } from '@nestjs/common';
import { Outbox } from './outbox';
import { OutboxStore } from './outbox.store';

/** For modules whose events webhooks report. */
@Module({ providers: [Outbox, OutboxStore], exports: [Outbox] })
export class OutboxModule {}
