import { Injectable } from '@nestjs/common';
import { mapInTurns } from '../../common/event-loop';
import { DECISIONS_FREE_MS, MatchingTime } from '../../common/patterns/matching-time';
import type { Delivery } from '../../events/collection.service';
import type { Subject } from '../evaluation';
import type { DecidableExperiment, Published } from '../published';
import { ExposureRecorder } from './exposure-recorder';
import { deviceOf, disabled, evaluate, Evaluation } from './ofrep';

/** Options for evaluating flags. */
export interface FlagOptions {
  /** `api_name` of the caller's environment. */
  environment: string;
  /** Whether a visitor outside an experiment gets the value of the original instead of no value. */
  hasValueAlways: boolean;
}

/** Evaluates experiments as flags. */
@Injectable()
export class FlagsService {
  constructor(private readonly recorder: ExposureRecorder) {}

  /** The flag of one experiment; null if the project has no started experiment with this name. */
  evaluate(published: Published, options: FlagOptions, key: string, subject: Subject): Evaluation | null {
    const { projectId, revision, experiments, names } = published;
    const experiment = experimentOf(published, key);
    if (experiment?.environments.includes(options.environment) === true) {
      return new MatchingTime(projectId, DECISIONS_FREE_MS).count(() =>
        evaluate(experiment, subject, revision, options.hasValueAlways),
      );
    }
    const known = experiment ?? names.named(key);
    // An experiment that has been renamed since its publication is still live under its published name.
    const isLive = experiment === undefined && experiments.some(({ id }) => id === known?.id);
    return known === null || isLive ? null : disabled(known, revision);
  }

  /** The flags of all live experiments, and of experiments that ran before and are not archived. */
  async evaluateAll(published: Published, options: FlagOptions, subject: Subject): Promise<Evaluation[]> {
    const { projectId, revision, experiments, names } = published;
    const time = new MatchingTime(projectId, DECISIONS_FREE_MS);
    const known = new Map(names.started().map((each) => [each.id, each.api_name]));
    const evaluations = await mapInTurns(experiments, (experiment) => {
      known.delete(experiment.id);
      return experiment.environments.includes(options.environment)
        ? time.count(() => evaluate(experiment, subject, revision, options.hasValueAlways))
        : disabled(experiment, revision);
    });
    const keys = new Set(evaluations.map(({ key }) => key));
    const idle = [...known].filter(([, api_name]) => !keys.has(api_name));
    return [...evaluations, ...idle.map(([id, api_name]) => disabled({ id, api_name }, revision))];
  }

  /**
   * Records the exposure of a flag, if the caller asks for it. By default nothing is recorded, because an evaluated
   * flag is not necessarily shown.
   * @param request the project that the client key belongs to, and the source of the request
   * @returns the evaluation, with the outcome of the exposure
   */
  async record(
    published: Published,
    subject: Subject,
    evaluation: Evaluation,
    request: Pick<Delivery, 'keyedProject' | 'sending'>,
  ): Promise<Evaluation> {
    const { metadata } = evaluation;
    const { experiment_id: experimentId, variation_id: variationId, phase } = metadata;
    if (variationId === undefined) {
      return evaluation;
    }
    const holder = { clientKey: published.clientKey, ...request };
    const visitor = { id: subject.id, device: deviceOf(subject) };
    const recorded = await this.recorder.record(holder, visitor, [{ experimentId, variationId, phase }]);
    return { ...evaluation, metadata: { ...metadata, recorded } };
  }
}

const experimentOf = ({ experiments }: Published, key: string): DecidableExperiment | undefined =>
  experiments.find(({ api_name }) => api_name === key);
