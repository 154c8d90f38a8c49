import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module';
import { DecisionsService } from './decisions.service';
import { ExperimentNames } from './experiment-names';
import { FlagsService } from './flags.service';
import { TrackingService } from './tracking.service';

/** What is decided for visitors on the server, and what callers tell about them. */
@Module({
  imports: [EventsModule],
  providers: [DecisionsService, ExperimentNames, FlagsService, TrackingService],
})
export class DecisionsModule {}
