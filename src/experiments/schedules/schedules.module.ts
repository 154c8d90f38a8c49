import { Module } from '@nestjs/common';
import { ExperimentsModule } from '../experiments.module';
import { ProjectWritesModule } from '../../projects/projects.module';
import { OutboxModule } from '../../webhooks/outbox.module';
import { SchedulePermission, SchedulesService, ScheduleWorker } from './schedules.service';
import { ScheduleStore } from './schedule.store';

/** Scheduled starts and ends of experiments, only in server and worker processes. */
@Module({
  imports: [ExperimentsModule, ProjectWritesModule, OutboxModule],
  providers: [SchedulePermission, SchedulesService, ScheduleStore, ScheduleWorker],
})
export class SchedulesModule {}
