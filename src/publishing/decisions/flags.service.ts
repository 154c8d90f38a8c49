import { Injectable } from '@nestjs/common';
import { mapInTurns } from '../../common/turns';
import type { Subject } from '../evaluation';
import type { Published } from '../published';
import { disabled, evaluate, Evaluation } from './ofrep';

/** Evaluates experiments as flags. Exposures are not recorded, because an evaluated flag is not necessarily shown. */
@Injectable()
export class FlagsService {
  /** The flag of one experiment; null if the project has no started experiment with this name. */
  evaluate(published: Published, environment: string, key: string, subject: Subject): Evaluation | null {
    const { revision, experiments, names } = published;
    const experiment = experiments.find(({ api_name }) => api_name === key);
    if (experiment?.environments.includes(environment) === true) {
      return evaluate(experiment, subject, revision);
    }
    const known = experiment ?? names.named(key);
    return known === null ? null : disabled(known, revision);
  }

  /** The flags of all experiments that are live, or that ran before and are not archived. */
  async evaluateAll(published: Published, environment: string, subject: Subject): Promise<Evaluation[]> {
    const { revision, experiments, names } = published;
    const known = new Map(names.started().map((each) => [each.id, each.api_name]));
    const evaluations = await mapInTurns(experiments, (experiment) => {
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
