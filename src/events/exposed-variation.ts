import { idOf } from '../common/validation/values';
import type { Definitions, ExperimentDefinition } from './definitions';

/* Experiments and variations as clients name them: by id, by the key of the payload for SDKs, or by api_name. */

/** Key of an experiment in the payload for SDKs. */
const EXPERIMENT_KEY = /^exp-(\d+)$/;

type Given = number | string | null | undefined;

/** The experiment with this id, this key, or else this api_name. */
export function findExperiment(
  { experiments, namedExperiments }: Definitions,
  given: Given,
): ExperimentDefinition | undefined {
  const id = idOf(given);
  const found = id === null ? undefined : experiments.get(id);
  if (found !== undefined) {
    return found;
  }
  const name = String(given ?? '');
  const keyed = idOf(EXPERIMENT_KEY.exec(name)?.[1]);
  return (keyed === null ? undefined : experiments.get(keyed)) ?? namedExperiments.get(name);
}

/** Id of the variation of an experiment with this id, or else this api_name. */
export function findVariation(
  { variationIds, variations }: ExperimentDefinition,
  given: Given,
): number | undefined {
  const id = idOf(given);
  return id !== null && variationIds.has(id) ? id : variations.get(String(given ?? ''));
}
