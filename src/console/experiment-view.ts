import { Injectable } from '@nestjs/common';
import type { ProjectPlace } from '../access/scope';
import { NotFoundError } from '../common/errors/api-errors';
import type { RawQuery } from '../common/lists/list-query';
import { ExperimentReader } from '../experiments/experiment-reader';
import type { ExperimentRecord } from '../experiments/experiment.record';
import { readinessFailures } from '../experiments/readiness';
import type { ProjectRecord } from '../projects/project.record';
import { ProjectsService } from '../projects/projects.service';
import { PublicationsService } from '../publishing/publications.service';
import type { Shareable } from '../sharing/share-model';
import { ShareModels } from '../sharing/share-models';
import { Shares } from '../sharing/shares';
import { ExperimentListStore } from './experiment-list.store';
import { NextStep, nextSteps, StepContext } from './next-steps';

/** The data of an experiment's page. */
export interface ExperimentView {
  project: ProjectRecord;
  experiment: ExperimentRecord;
  shareable: Shareable;
  shareUrl: string;
  steps: NextStep[];
}

/** Reads the data of an experiment's page. */
@Injectable()
export class ExperimentViews {
  constructor(
    private readonly lists: ExperimentListStore,
    private readonly projects: ProjectsService,
    private readonly experiments: ExperimentReader,
    private readonly publications: PublicationsService,
    private readonly shares: Shares,
    private readonly models: ShareModels,
  ) {}

  /** @param query the filter of the results */
  async read(place: ProjectPlace, query: RawQuery): Promise<ExperimentView> {
    const shared = await this.shares.ofExperiment(place.target.id);
    if (shared === null) {
      throw new NotFoundError();
    }
    const [project, shown, shareable] = await Promise.all([
      this.projects.show(place),
      this.experiments.show(place, {}),
      this.models.read(shared, query),
    ]);
    const experiment = shown.record;
    const context = await this.context(place, experiment);
    return {
      project: project.record,
      experiment,
      shareable,
      shareUrl: shared.shareUrl,
      steps: nextSteps(context),
    };
  }

  private async context({ projectId }: ProjectPlace, experiment: ExperimentRecord): Promise<StepContext> {
    const { id, status, variations, pages, goals } = experiment;
    const missing = readinessFailures(experiment).all;
    const isRunning = status === 'running';
    const [page, goal, hasUnpublishedEdits] = await Promise.all([
      pages.length === 0 ? this.lists.first('pages', projectId) : null,
      goals.length === 0 ? this.lists.first('goals', projectId) : null,
      isRunning ? this.publications.hasUnpublishedEdits(projectId, id) : false,
    ]);
    return {
      projectId,
      experimentId: id,
      status,
      started: experiment.started_at !== null,
      missing,
      lastVariationId: variations.at(-1)?.id ?? null,
      spare: { page, goal },
      hasUnpublishedEdits,
    };
  }
}
