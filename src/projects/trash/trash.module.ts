import { Module } from '@nestjs/common';
import { AuditRetention } from '../../audit/audit-retention';
import { EventsModule } from '../../events/events.module';
import { ExperimentsModule } from '../../experiments/experiments.module';
import { PublishingModule } from '../../publishing/publishing.module';
import { ProjectsModule } from '../projects.module';
import { IdempotencyModule } from '../../platform/idempotency/idempotency.module';
import { UsersModule } from '../../users/users.module';
import { WebhooksModule } from '../../webhooks/webhooks.module';
import { TrashCollector } from './trash-collector';
import { TrashService } from './trash.service';
import { SoftDeleteStore } from './soft-delete.store';

/** Lists, restores and purges deleted records, for the admin command. */
@Module({
  imports: [ProjectsModule, ExperimentsModule, EventsModule],
  providers: [TrashService, SoftDeleteStore],
  exports: [TrashService],
})
export class TrashModule {}

/** Like `TrashModule`, with automatic purging by the server. */
@Module({
  imports: [TrashModule, IdempotencyModule, PublishingModule, UsersModule, WebhooksModule],
  providers: [AuditRetention, TrashCollector],
})
export class TrashCollectionModule {}
