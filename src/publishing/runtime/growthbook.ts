import { evalCondition } from 'growthbook-modules/mongrule';
import { runExperiment } from 'growthbook-modules/core';
import type { Experiment, Result, UserContext } from '@growthbook/growthbook';

/*
 * Stands in for the package in what is bundled for browsers: its evaluator is all we need, and the package would bring
 * its feature repository, its sticky buckets and a DOM mutator along.
 */

export { evalCondition };

export class GrowthBookClient {
  runInlineExperiment<T>(experiment: Experiment<T>, user: UserContext): Result<T> {
    const global = { log: () => undefined };
    return runExperiment(experiment, null, { user, global, stack: { evaluatedFeatures: new Set() } }).result;
  }
}
