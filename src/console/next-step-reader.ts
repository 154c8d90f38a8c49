import { Injectable } from '@nestjs/common';
import type { ProjectPlace } from '../platform/access/scope';
import { readinessFailures } from '../experiments/readiness';
import { PublicationsService } from '../publishing/publications.service';
import { nameInSentence } from '../presentation/text/words';
import { impossibleConditions } from '../resources/pages/impossible-conditions';
import { ExperimentListStore } from './experiment-list.store';
import { type ExperimentSubject, statusStateOf } from './experiment-subject';
import { NextStep, nextSteps, StepContext } from './next-steps';
import type { ResultState } from './result-state';
import { type Advice, adviceOn } from './step-advice';

type Subject = Pick<ExperimentSubject, 'experiment' | 'areEventsRemoved'>;
type InProject = Pick<ProjectPlace, 'projectId'>;

/** Reads the data that determines an experiment's next steps. */
@Injectable()
export class NextStepReader {
  constructor(
    private readonly lists: ExperimentListStore,
    private readonly publications: PublicationsService,
  ) {}

  /** The possible next steps regardless of the results, most likely first. */
  async read(place: InProject, subject: Subject): Promise<NextStep[]> {
    return nextSteps(await this.context(place, subject));
  }

  /** The next steps in view of the results, and a written recommendation if there is one. */
  async advise(
    place: InProject,
    subject: Subject,
    results: ResultState,
  ): Promise<{ advice: Advice | null; steps: NextStep[] }> {
    const { experiment } = subject;
    const context = await this.context(place, subject);
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

  private async pageWarnings({ pages }: Subject['experiment']): Promise<string[]> {
    const found = await this.lists.pageConditions(pages.map(({ id }) => id));
    return found.flatMap(({ name, conditions }) =>
      impossibleConditions(conditions).map((warning) => `${nameInSentence(name)}: ${warning}`),
    );
  }

  private async context({ projectId }: InProject, subject: Subject): Promise<StepContext> {
    const { experiment } = subject;
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
      ...statusStateOf(subject),
      missing: readinessFailures(experiment).all,
      variations,
      spare: { page, goal, environment },
      hasGuardrails: guardrails.length > 0,
      hasUnpublishedEdits,
    };
  }
}
