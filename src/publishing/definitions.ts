import type { ConditionTree } from '../audiences/condition-tree';
import type { PageCondition } from '../pages/page-conditions';
import type { PushTarget } from '../projects/settings/push-targets';

/*
 * What a publication is built from: all that decides what visitors see, and nothing else. No names or descriptions,
 * because what is built from it is public.
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
  /** Of click goals. */
  selector: string | null;
  /** Of the page of pageview goals. */
  conditions: PageCondition[] | null;
}

export interface LiveEnvironment {
  id: number;
  api_name: string;
  is_default: boolean;
  /** Body of a function that returns true where the environment applies. */
  code: string;
}

export interface LiveExperiment {
  id: number;
  api_name: string;
  /** Counts the changes of the shares from 1; revisions of the first release do not have it. */
  phase?: number;
  /** Of the eligible visitors. */
  traffic: BasisPoints;
  /** Has traffic a hash of its own? Experiments that started in the first release, and its revisions, lack it. */
  traffic_filter?: true;
  audiences_match_type: 'any' | 'all';
  /** The conditions of each audience; null is everyone. */
  audiences: (ConditionTree | null)[];
  pages: LivePage[];
  /** Ids; the experiment runs nowhere else. */
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
  /** Where the snippet announces exposures on the page; nowhere without it. */
  push_to?: PushTarget[] | undefined;
  /** In order of their ids. */
  environments: LiveEnvironment[];
  /** Running experiments, in order of their ids. */
  experiments: LiveExperiment[];
}
