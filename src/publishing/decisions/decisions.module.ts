import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module';
import { PublishingModule } from '../publishing.module';
import { DecisionsService } from './decisions.service';
import { ExposureRecorder } from './exposure-recorder';
import { FlagsService } from './flags.service';
import { TrackingService } from './tracking.service';

/** Server-side decisions, and event collection in other formats. */
@Module({
  imports: [EventsModule, PublishingModule],
  providers: [DecisionsService, ExposureRecorder, FlagsService, TrackingService],
  exports: [DecisionsService, FlagsService, TrackingService],
})
export class DecisionsModule {}
