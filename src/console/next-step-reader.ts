import { Injectable } from '@nestjs/common';
import type { ProjectPlace } from '../platform/access/scope';
import type { ExperimentRecord } from '../experiments/experiment.record';
import { readinessFailures } from '../experiments/readiness';
import { PublicationsService } from '../publishing/publications.service';
import { nameInSentence } from '../presentation/text/words';
import { impossibleConditions } from '../resources/pages/impossible-conditions';
import { ExperimentListStore } from './experiment-list.store';
import { NextStep, nextSteps, StepContext } from './next-steps';
import type { ResultState } from './result-state';
import { type Advice, adviceOn } from './step-advice';

type InProject = Pick<ProjectPlace, 'projectId'>;

/** Reads the data that determines an experiment's next steps. */
@Injectable()
export class NextStepReader {
  constructor(
    private readonly lists: ExperimentListStore,
    private readonly publications: PublicationsService,
  ) {}

  /** The possible next steps regardless of the results, most likely first. */
  async read(place: InProject, experiment: ExperimentRecord): Promise<NextStep[]> {
    return nextSteps(await this.context(place, experiment));
  }

  /** The next steps in view of the results, and a written recommendation if there is one. */
  async advise(
    place: InProject,
    experiment: ExperimentRecord,
    results: ResultState,
  ): Promise<{ advice: Advice | null; steps: NextStep[] }> {
    const context = await this.context(place, experiment);
    const isWaiting = context.status === 'running' && results.kind === 'no data';
    const pageWarnings = isWaiting ? await this.pageWarnings(experiment) : [];
    return {
      advice:
        context.missing.length > 0
          ? null
          : adviceOn({
              status: context.status,
              results,
              isNowhere: context.spare.environment !== null,
              pageWarnings,
              isDecisionMade: experiment.decision !== null,
            }),
      steps: nextSteps(context, results),
    };
  }

  private async pageWarnings({ pages }: ExperimentRecord): Promise<string[]> {
    const found = await this.lists.pageConditions(pages.map(({ id }) => id));
    return found.flatMap(({ name, conditions }) =>
      impossibleConditions(conditions).map((warning) => `${nameInSentence(name)}: ${warning}`),
    );
  }

  private async context({ projectId }: InProject, experiment: ExperimentRecord): Promise<StepContext> {
    const { id, status, variations, pages, goals, guardrails, environments } = experiment;
    const guarding = guardrails.map((goal) => goal.id);
    const isRunning = status === 'running';
    const [page, goal, environment, hasUnpublishedEdits] = await Promise.all([
      pages.length === 0 ? this.lists.first('pages', projectId) : null,
      goals.length === 0 ? this.lists.first('goals', projectId, guarding) : null,
      environments.length === 0 ? this.lists.defaultEnvironment(projectId) : null,
      isRunning ? this.publications.hasUnpublishedEdits(projectId, id) : false,
    ]);
    return {
      projectId,
      experimentId: id,
      status,
      started: experiment.started_at !== null,
      missing: readinessFailures(experiment).all,
      variations,
      spare: { page, goal, environment },
      hasGuardrails: guardrails.length > 0,
      hasUnpublishedEdits,
    };
  }
}
