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
