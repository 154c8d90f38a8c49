import type { ConditionTree } from '../resources/audiences/condition-tree';
import type { PageCondition } from '../resources/pages/page-conditions';
import type { PushTarget } from '../projects/settings/push-targets';

/*
 * The source of a publication: everything that affects visitors, and nothing else. No names or descriptions, because
 * publications are public.
 */

/** Whole basis points: 10,000 is all. */
export type BasisPoints = number;

export const WHOLE: BasisPoints = 10_000;

export interface LiveVariation {
  id: number;
  api_name: string;
  is_original: boolean;
  /** Share of the experiment's participants; those of an experiment sum to 10,000. */
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
  /** For click goals. */
  selector: string | null;
  /** The conditions of the page; for pageview goals. */
  conditions: PageCondition[] | null;
}

export interface LiveEnvironment {
  id: number;
  api_name: string;
  is_default: boolean;
  /** Body of a function that returns true if the environment applies. */
  code: string;
}

export interface LiveExclusion {
  /** Id of the group. */
  group: number;
  /** The group's visitors from the first number up to, but not including, the second. */
  ranges: (readonly [first: BasisPoints, end: BasisPoints])[];
}

export interface LiveExperiment {
  id: number;
  api_name: string;
  /** Number of the phase, from 1; absent in revisions of the first release. */
  phase?: number;
  /** Part of the eligible visitors. */
  traffic: BasisPoints;
  /**
   * Whether traffic has its own hash; absent for experiments that started in the first release, and in its revisions.
   */
  traffic_filter?: true;
  /** Its part of an exclusion group; absent in revisions from before exclusion groups. */
  exclusion?: LiveExclusion;
  audiences_match_type: 'any' | 'all';
  /** The conditions of each audience; null is everyone. */
  audiences: (ConditionTree | null)[];
  pages: LivePage[];
  /** Ids; the experiment runs only in these environments. */
  environments: number[];
  goals: LiveGoal[];
  js: string | null;
  reset_js: string | null;
  css: string | null;
  /** In order of their ids. */
  variations: LiveVariation[];
}

export interface LiveDefinitions {
  storage: 'localStorage' | 'cookie';
  /** Where the snippet announces exposures on the page; absent if nowhere. */
  push_to?: PushTarget[] | undefined;
  /** In order of their ids. */
  environments: LiveEnvironment[];
  /** Running experiments, in order of their ids. */
  experiments: LiveExperiment[];
}
