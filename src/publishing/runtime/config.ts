import type { PushTarget } from '../../projects/settings/push-targets';
import type { Rule } from '../evaluation';

/* The configuration of the snippet. The compiler writes it as a JavaScript literal, with users' code as functions. */

/** A piece of a user's code; called with `window` as `this`. */
export type Code = () => unknown;

/** Sources of regular expressions that are tested against the whole normalized address (`new URL(address).href`). */
export interface AddressPatterns {
  /** At least one must match. If both lists are empty, every URL matches. */
  wanted: string[];
  /** None may match. */
  unwanted: string[];
}

export interface SnippetPage extends AddressPatterns {
  activation: 'immediate' | 'manual' | 'dom_change' | 'url_change';
}

export interface SnippetVariation {
  id: number;
  /** The name in announcements of exposures on the page. */
  apiName?: string;
  css?: string;
  js?: Code;
}

export interface SnippetExperiment {
  id: number;
  apiName: string;
  phase?: number;
  /** `api_name`s; the experiment runs if the code of at least one of them returns true. */
  environments: string[];
  /** Whether its audiences have conditions on the country; absent if not. */
  asksCountry?: true;
  pages: SnippetPage[];
  rule: Rule;
  css?: string;
  js?: Code;
  resetJs?: Code;
  variations: SnippetVariation[];
}

export interface SnippetGoal {
  /** The `event` of its conversions. */
  apiName: string;
  /** For click goals: one CSS selector list. */
  selector?: string;
}

export interface SnippetConfig {
  /** Public address of the server, without a trailing slash. */
  host: string;
  clientKey: string;
  /** Hex; identifies the publication in error reports. */
  build: string;
  storage: 'localStorage' | 'cookie';
  /** Where exposures are announced on the page, if anywhere. */
  pushTo?: PushTarget[];
  /** By `api_name`. */
  environments: Record<string, Code>;
  /** Conditions in JavaScript. The result of the condition at index i is the attribute `javascript.<i>`. */
  conditions: Code[];
  experiments: SnippetExperiment[];
  clickGoals: SnippetGoal[];
  /** The pages of all pageview goals. A URL that matches one of them is sent as a `page` message. */
  viewedPages: AddressPatterns[];
  /** In the script of a preview link: the variation to show to every visitor on every page, without tracking. */
  preview?: { variation: number };
}
