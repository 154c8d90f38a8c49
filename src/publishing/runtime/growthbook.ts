import { evalCondition } from 'growthbook-modules/mongrule';
import { runExperiment } from 'growthbook-modules/core';
import type { Experiment, Result, UserContext } from '@growthbook/growthbook';

/*
 * Replaces the `@growthbook/growthbook` package in browser bundles. Only its evaluator is needed; the whole package
 * would add a feature repository, sticky buckets and a DOM mutator.
 */

export { evalCondition };

export class GrowthBookClient {
  runInlineExperiment<T>(experiment: Experiment<T>, user: UserContext): Result<T> {
    const global = { log: () => undefined };
    return runExperiment(experiment, null, { user, global, stack: { evaluatedFeatures: new Set() } }).result;
  }
}
