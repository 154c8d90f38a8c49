import { Module } from '@nestjs/common';
import { ExperimentsModule } from '../experiments.module';
import { ResultReadsModule } from '../../results/results.module';
import { OutboxModule } from '../../webhooks/outbox.module';
import { GuardrailStore } from './guardrail.store';
import { GuardrailsService, GuardrailWorker } from './guardrails.service';

@Module({
  imports: [ExperimentsModule, ResultReadsModule, OutboxModule],
  providers: [GuardrailStore, GuardrailsService, GuardrailWorker],
})
export class GuardrailsModule {}
