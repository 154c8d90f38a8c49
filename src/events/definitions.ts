import { InternallyUnavailableError } from '../common/errors/api-errors';
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
  /** Are conversions sent with the client key rejected? */
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

const ATTEMPTS = 5;
const RETRY_SECONDS = 1;

/**
 * What messages were resolved with changed before they were stored: a project, or the ids or the deletion of a visitor.
 * Nothing was stored. They are resolved again; the client hears of it only if that fails as well.
 */
export class DefinitionsChangedError extends InternallyUnavailableError {
  constructor() {
    super(RETRY_SECONDS, 'The project or its visitors changed again and again while events were stored');
  }
}

/**
 * Resolves and stores messages, again if something changed in the meantime.
 * @param attempt resolves and stores all of them, or stores nothing
 * @throws DefinitionsChangedError (503) if something changed during each of several attempts
 */
export async function untilUnchanged<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DefinitionsChangedError) || left === 1) {
        throw error;
      }
    }
  }
}
