import type { ConditionTree } from '../resources/audiences/condition-tree';
import type { PageCondition } from '../resources/pages/page-conditions';
import type { PushTarget } from '../projects/settings/push-targets';

/*
 * The source of a publication: exactly the data that affects visitors. It has no names or descriptions, because
 * publications are public.
 */

/** A share in whole basis points; 10,000 is 100 %. */
export type BasisPoints = number;

export const WHOLE: BasisPoints = 10_000;

export interface LiveVariation {
  id: number;
  api_name: string;
  is_original: boolean;
  /** Share of the experiment's participants. The shares of all variations sum to 10,000. */
  share: BasisPoints;
  js: string | null;
  css: string | null;
}

export interface LivePage {
  id: number;
  api_name: string;
  activation: 'immediate' | 'manual' | 'dom_change' | 'url_change';
  conditions: PageCondition[];
}

export interface LiveGoal {
  id: number;
  api_name: string;
  type: 'custom' | 'pageview' | 'click';
  /** CSS selector of a click goal; null for other types. */
  selector: string | null;
  /** The page conditions of a pageview goal; null for other types. */
  conditions: PageCondition[] | null;
}

export interface LiveEnvironment {
  id: number;
  api_name: string;
  is_default: boolean;
  /** A condition that is true if the environment applies to the page; blank if it applies to all pages. */
  code: string;
}

export interface LiveExclusion {
  /** Id of the group. */
  group: number;
  /**
   * The experiment's ranges within the group's visitors. Each range extends from the first number up to, but not
   * including, the second.
   */
  ranges: (readonly [first: BasisPoints, end: BasisPoints])[];
}

export interface LiveExperiment {
  id: number;
  api_name: string;
  /** The number of the phase, counted from 1; absent in revisions published by the first release. */
  phase?: number;
  /** Share of the eligible visitors who take part. */
  traffic: BasisPoints;
  /**
   * Whether traffic has its own hash. Absent for experiments that were started with the first release, and in revisions
   * that it published.
   */
  traffic_filter?: true;
  /**
   * The experiment's part of an exclusion group. Absent if there is no group, and in revisions that predate exclusion
   * groups.
   */
  exclusion?: LiveExclusion;
  audiences_match_type: 'any' | 'all';
  /** The conditions of each audience; null for an audience that includes everyone. */
  audiences: (ConditionTree | null)[];
  pages: LivePage[];
  /** Ids of the environments in which the experiment runs. */
  environments: number[];
  goals: LiveGoal[];
  js: string | null;
  reset_js: string | null;
  css: string | null;
  /** Sorted by id. */
  variations: LiveVariation[];
}

export interface LiveDefinitions {
  storage: 'localStorage' | 'cookie';
  /** Where the snippet announces exposures on the page; absent if it does not announce them. */
  push_to?: PushTarget[] | undefined;
  /** Sorted by id. */
  environments: LiveEnvironment[];
  /** Running experiments, sorted by id. */
  experiments: LiveExperiment[];
}
