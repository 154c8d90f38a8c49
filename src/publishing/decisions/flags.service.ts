import { Injectable } from '@nestjs/common';
import type { Published } from '../published';
import { ExperimentNames } from './experiment-names';
import { disabled, evaluate, Evaluation, Subject } from './ofrep';

/** Evaluates experiments as flags. Nothing is recorded: what a provider evaluates need not be shown to anybody. */
@Injectable()
export class FlagsService {
  constructor(private readonly names: ExperimentNames) {}

  /** The flag of one experiment; null when the project has none of that name. */
  async evaluate(
    published: Published,
    environment: string,
    key: string,
    subject: Subject,
  ): Promise<Evaluation | null> {
    const { projectId, revision, experiments } = published;
    const experiment = experiments.find(({ api_name }) => api_name === key);
    if (experiment?.environments.includes(environment) === true) {
      return evaluate(experiment, subject, revision);
    }
    const known = experiment ?? (await this.names.named(projectId, key));
    return known === null ? null : disabled(known, revision);
  }

  /** The flags of all experiments that are live, and of those that were and may be again. */
  async evaluateAll(published: Published, environment: string, subject: Subject): Promise<Evaluation[]> {
    const { projectId, revision, experiments } = published;
    const known = new Map((await this.names.started(projectId)).map((each) => [each.id, each.api_name]));
    const evaluations = experiments.map((experiment) => {
      known.delete(experiment.id);
      return experiment.environments.includes(environment)
        ? evaluate(experiment, subject, revision)
        : disabled(experiment, revision);
    });
    const keys = new Set(evaluations.map(({ key }) => key));
    const idle = [...known].filter(([, api_name]) => !keys.has(api_name));
    return [...evaluations, ...idle.map(([id, api_name]) => disabled({ id, api_name }, revision))];
  }
}
