import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { addCollectionRoutes } from '../events/collection.routes';
import { CollectionService } from '../events/collection.service';
import { RecentMessages } from '../events/recent/recent-messages';
import { addArtifactRoutes, type SnippetListener } from '../publishing/artifact.routes';
import { addDecisionRoutes } from '../publishing/decisions/decision.routes';
import { DecisionsService } from '../publishing/decisions/decisions.service';
import { addFlagRoutes } from '../publishing/decisions/flag.routes';
import { FlagsService } from '../publishing/decisions/flags.service';
import { VisitorCountries } from '../publishing/country/visitor-countries';
import { addVisitorRoutes } from '../publishing/country/visitor.routes';
import { addSdkRoutes } from '../publishing/decisions/sdk.routes';
import { TrackingService } from '../publishing/decisions/tracking.service';
import { PreviewScripts } from '../publishing/preview-scripts';
import { PublishedProjects } from '../publishing/published-projects';
import { PayloadStreams } from '../publishing/streams/payload-streams';
import { addStreamRoutes } from '../publishing/streams/stream.routes';

/** The routes that sites and back ends call with a client key on behalf of visitors. */
@Injectable()
export class DeliveryRoutes {
  constructor(
    @Inject(CollectionService) private readonly collection: Pick<CollectionService, 'collect'>,
    private readonly projects: PublishedProjects,
    @Inject(PreviewScripts) private readonly previews: Pick<PreviewScripts, 'find'>,
    private readonly decisions: DecisionsService,
    private readonly flags: FlagsService,
    private readonly tracking: TrackingService,
    private readonly streams: PayloadStreams,
    @Inject(VisitorCountries) private readonly countries: Pick<VisitorCountries, 'of'>,
    @Inject(RecentMessages) private readonly snippets: SnippetListener | null,
  ) {}

  /** Adds the routes and the delivery steps to a Fastify scope. */
  addTo(server: FastifyInstance): void {
    addCollectionRoutes(server, this.collection);
    addArtifactRoutes(server, this.projects, this.previews, this.streams, this.snippets);
    addDecisionRoutes(server, this.projects, this.decisions, this.tracking, this.collection);
    addFlagRoutes(server, this.projects, this.flags);
    addSdkRoutes(server, this.projects, this.tracking);
    addVisitorRoutes(server, this.projects, this.countries);
    addStreamRoutes(server, this.streams);
  }
}
