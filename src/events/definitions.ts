import { idOf } from '../common/validation/values';
import type { PageMatcher } from '../resources/pages/page-matching';
import type { CountingRules } from './counting-rules';

export interface ExperimentDefinition {
  id: number;
  apiName: string;
  isPreviewed: boolean;
  /** Ids of the variations by their api_name. */
  variations: ReadonlyMap<string, number>;
  variationIds: ReadonlySet<number>;
  /** The runs, and when the result becomes final. */
  rules: CountingRules;
  /** Does it have any exposure? */
  isCollected: boolean;
}

export interface GoalDefinition {
  id: number;
  type: string;
  hasValue: boolean;
  /** Whether conversions sent with the client key are rejected. */
  isTrustedOnly: boolean;
  hasValueCap: boolean;
  /** Does it have any conversion? */
  isCollected: boolean;
}

/** The parts of a project that are needed to resolve its events. */
export interface Definitions {
  projectId: number;
  /** The version of the project when this was read. */
  version: number;
  experiments: ReadonlyMap<number, ExperimentDefinition>;
  /** By `api_name`. */
  namedExperiments: ReadonlyMap<string, ExperimentDefinition>;
  goals: ReadonlyMap<number, GoalDefinition>;
  /** Goals that are triggered by `api_name`. */
  namedGoals: ReadonlyMap<string, GoalDefinition>;
  pageviewGoals: readonly (GoalDefinition & { page: PageMatcher })[];
}

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
