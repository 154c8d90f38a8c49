import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { ProjectsModule } from '../projects/projects.module';
import { RetriesModule } from '../retries/retries.module';
import { UsersModule } from '../users/users.module';
import { TrashCollector } from './trash-collector';
import { TrashService } from './trash.service';

/** Listing, restoring and purging, for the admin command. */
@Module({ imports: [ProjectsModule, EventsModule], providers: [TrashService], exports: [TrashService] })
export class TrashModule {}

/** The same, and the server purges by itself what is due. */
@Module({ imports: [TrashModule, RetriesModule, UsersModule], providers: [TrashCollector] })
export class TrashCollectionModule {}
