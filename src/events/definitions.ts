import { InternallyUnavailableError } from '../common/errors/api-errors';
import type { Micros } from '../common/time/clock';
import { idOf } from '../common/validation/values';
import type { PageMatcher } from '../resources/pages/page-matching';
import type { CountingRules } from './counting-rules';
import { EXPERIMENT_KEY } from './exposure';

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

/** The time in which browsers may run an earlier revision. */
export interface Period {
  /** When the revision was published. */
  from: Micros;
  until: Micros;
}

/** When an event happened, and when it arrived. */
export interface EventTimes {
  at: Micros;
  receivedAt: Micros;
}

/** Whether an event can come from a revision. Imported events can be much older than the revisions of that time. */
export const isWithin = ({ from, until }: Period, { at, receivedAt }: EventTimes): boolean =>
  at >= from && receivedAt < until;

/** A click goal under a name that only earlier revisions have. */
export interface EarlierClickGoal {
  goal: GoalDefinition;
  period: Period;
}

/** A page whose views count towards a goal. */
export interface CountedPage {
  matcher: PageMatcher;
  /** Null if the page is not limited to a period. */
  period: Period | null;
}

export type PageviewGoal = GoalDefinition & { pages: readonly CountedPage[] };

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
  /** Click goals by the names that only earlier revisions send. */
  earlierClickGoals: ReadonlyMap<string, EarlierClickGoal>;
  pageviewGoals: readonly PageviewGoal[];
}

/* Clients identify experiments and variations by id, by their key in the SDK payload, or by api_name. */

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

/**
 * Finds a goal by api_name. If no goal has the name, it can be the name that a click goal had in an earlier revision,
 * which open pages may still run.
 */
export function findGoal(
  { namedGoals, earlierClickGoals }: Definitions,
  name: string,
  times: EventTimes,
): GoalDefinition | undefined {
  const named = namedGoals.get(name);
  if (named !== undefined) {
    return named;
  }
  const earlier = earlierClickGoals.get(name);
  return earlier !== undefined && isWithin(earlier.period, times) ? earlier.goal : undefined;
}

const ATTEMPTS = 5;
const RETRY_SECONDS = 1;

/**
 * The data used to resolve messages changed before the messages were stored: a project changed, or a visitor was linked
 * or deleted. Nothing was stored. The messages are resolved again; the client gets an error only if this keeps
 * happening.
 */
export class DefinitionsChangedError extends InternallyUnavailableError {
  constructor() {
    super(RETRY_SECONDS, 'The project or its visitors kept changing while events were being stored');
  }
}

/**
 * Resolves and stores messages, and retries if the data used to resolve them changed in the meantime.
 * @param attempt resolves and stores all messages, or stores nothing
 * @param attempts the maximum number of attempts
 * @throws DefinitionsChangedError (503) if this data changed during every attempt
 */
export async function untilUnchanged<T>(attempt: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
  for (let left = attempts; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DefinitionsChangedError) || left === 1) {
        throw error;
      }
    }
  }
}
