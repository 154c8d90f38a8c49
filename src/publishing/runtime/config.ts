import type { PushTarget } from '../../projects/settings/push-targets';
import type { Rule } from '../evaluation';

/* What the snippet is started with. The compiler writes it as a JavaScript literal, users' code as functions. */

/** A piece of a user's code; called with `window` as `this`. */
export type Code = () => unknown;

/** Sources of regular expressions that are tested against the whole normalized address (`new URL(address).href`). */
export interface AddressPatterns {
  /** At least one must match; every address does where neither list has any. */
  wanted: string[];
  /** None may match. */
  unwanted: string[];
}

export interface SnippetPage extends AddressPatterns {
  activation: 'immediate' | 'manual' | 'dom_change' | 'url_change';
}

export interface SnippetVariation {
  id: number;
  /** Where exposures are announced on the page. */
  apiName?: string;
  css?: string;
  js?: Code;
}

export interface SnippetExperiment {
  id: number;
  apiName: string;
  phase?: number;
  /** `api_name`s; it runs where the code of at least one of them is true. */
  environments: string[];
  pages: SnippetPage[];
  rule: Rule;
  css?: string;
  js?: Code;
  resetJs?: Code;
  variations: SnippetVariation[];
}

export interface SnippetGoal {
  /** The `event` that its conversions are sent with. */
  apiName: string;
  /** Of click goals: one CSS selector list. */
  selector?: string;
}

export interface SnippetConfig {
  /** Public address of the server, without a trailing slash. */
  host: string;
  clientKey: string;
  /** Hex; tells the server which publication an error report is about. */
  build: string;
  storage: 'localStorage' | 'cookie';
  /** Where exposures are announced on the page, if anywhere. */
  pushTo?: PushTarget[];
  /** By `api_name`. */
  environments: Record<string, Code>;
  /** Conditions in JavaScript; the result of the one at index i is the attribute `javascript.<i>`. */
  conditions: Code[];
  experiments: SnippetExperiment[];
  clickGoals: SnippetGoal[];
  /** The pages of all pageview goals: an address that one of them matches is sent as a `page` message. */
  viewedPages: AddressPatterns[];
  /** In a script for a preview link: the one variation to show, whoever and wherever the visitor is, uncounted. */
  preview?: { variation: number };
}
