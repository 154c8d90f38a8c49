import { idOf } from '../common/validation/values';
import type { PageMatcher } from '../resources/pages/page-matching';
import type { CountingRules } from './counting-rules';

export interface ExperimentDefinition {
  id: number;
  apiName: string;
  isPreviewed: boolean;
  /** Variation ids by `api_name`. */
  variations: ReadonlyMap<string, number>;
  variationIds: ReadonlySet<number>;
  /** Runs, phases and value caps, and when the result becomes final. */
  rules: CountingRules;
  /** Whether the experiment has any exposures. */
  isCollected: boolean;
}

export interface GoalDefinition {
  id: number;
  type: string;
  hasValue: boolean;
  /** Whether conversions sent with the client key are rejected. */
  isTrustedOnly: boolean;
  hasValueCap: boolean;
  /** Whether the goal has any conversions. */
  isCollected: boolean;
}

/** The parts of a project that are needed to resolve its events. */
export interface Definitions {
  projectId: number;
  /** The project version when these definitions were read. */
  version: number;
  experiments: ReadonlyMap<number, ExperimentDefinition>;
  /** By `api_name`. */
  namedExperiments: ReadonlyMap<string, ExperimentDefinition>;
  goals: ReadonlyMap<number, GoalDefinition>;
  /** Goals that are triggered by `api_name`. */
  namedGoals: ReadonlyMap<string, GoalDefinition>;
  pageviewGoals: readonly (GoalDefinition & { page: PageMatcher })[];
}

/* Clients identify experiments and variations by id, by the key in the SDK payload, or by api_name. */

/** An experiment's key in the SDK payload. */
const EXPERIMENT_KEY = /^exp-(\d+)$/;

type Given = number | string | null | undefined;

/** Finds an experiment by id, then by key, then by api_name. */
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

/** Finds a variation by id, then by api_name, and returns its id. */
export function findVariation(
  { variationIds, variations }: ExperimentDefinition,
  given: Given,
): number | undefined {
  const id = idOf(given);
  return id !== null && variationIds.has(id) ? id : variations.get(String(given ?? ''));
}
