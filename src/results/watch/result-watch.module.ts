import { Module } from '@nestjs/common';
import { OutboxModule } from '../../webhooks/outbox.module';
import { ResultReadsModule } from '../results.module';
import { ResultWatch, ResultWatcher } from './result-watch';
import { ToldResultsStore } from './told-results.store';

/** Watches results for webhooks, in server and worker processes. */
@Module({
  imports: [ResultReadsModule, OutboxModule],
  providers: [ResultWatch, ResultWatcher, ToldResultsStore],
})
export class ResultWatchModule {}
