import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module';
import { PublishingModule } from '../publishing.module';
import { VisitorCountries } from '../country/visitor-countries';
import { DecisionsService } from './decisions.service';
import { ExposureRecorder } from './exposure-recorder';
import { FlagsService } from './flags.service';
import { TrackingService } from './tracking.service';

/** Server-side decisions, and collection of events in formats other than the batch format. */
@Module({
  imports: [EventsModule, PublishingModule],
  providers: [DecisionsService, ExposureRecorder, FlagsService, TrackingService, VisitorCountries],
  exports: [DecisionsService, FlagsService, TrackingService, VisitorCountries],
})
export class DecisionsModule {}
