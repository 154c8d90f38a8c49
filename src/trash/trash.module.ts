import { Module } from '@nestjs/common';
import { AuditRetention } from '../audit/audit-retention';
import { EventsModule } from '../events/events.module';
import { ExperimentsModule } from '../experiments/experiments.module';
import { ProjectsModule } from '../projects/projects.module';
import { RetriesModule } from '../retries/retries.module';
import { UsersModule } from '../users/users.module';
import { TrashCollector } from './trash-collector';
import { TrashService } from './trash.service';
import { TrashStore } from './trash.store';

/** List, restore and purge, for the admin command. */
@Module({
  imports: [ProjectsModule, ExperimentsModule, EventsModule],
  providers: [TrashService, TrashStore],
  exports: [TrashService],
})
export class TrashModule {}

/** The same, with automatic purging by the server. */
@Module({ imports: [TrashModule, RetriesModule, UsersModule], providers: [AuditRetention, TrashCollector] })
export class TrashCollectionModule {}
